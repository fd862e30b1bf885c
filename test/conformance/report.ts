import type { Result } from './run.ts';

/** Characters of a column. A longer text is cut. */
const WIDTHS = { name: 72, outcome: 34 };

/** A line for each case: what AWS answers, and what the engine did. */
export function table(results: Result[]): string[] {
  const rows = results.map((result) => row(nameOf(result), result.expected, result.got, marks[result.verdict]));
  return [row('Case', 'Expected', 'Got', ''), ...rows];
}

const marks = { same: '', known: 'known', unexplained: 'DIFFERS', stale: 'NO LONGER SO' };

/** The differences that the table explains. */
export function knownDifferences(results: Result[], engine?: string): string[] {
  return results
    .filter(({ verdict }) => verdict === 'known')
    .map(
      (result) =>
        `- ${nameOf(result)}: AWS answers ${result.expected}, ${engine} ${result.got}. ${reasonOf(result, engine)} ${result.case.source}`,
    );
}

/** What must be fixed: in the engine, or in the table. */
export function problems(results: Result[], engine?: string): string[] {
  return results.flatMap((result) => {
    const { verdict, expected, got } = result;
    const text = `${nameOf(result)}: expected ${expected}, got ${got}.`;
    if (verdict === 'unexplained') return `${text} ${result.case.source}`;
    return verdict === 'stale' ? `${text} The difference in the table is another: ${reasonOf(result, engine)}` : [];
  });
}

function reasonOf({ case: { differs } }: Result, engine = ''): string {
  return differs[engine as keyof typeof differs]?.why ?? '';
}

function nameOf({ service, case: { operation, title } }: Result): string {
  return `${service} ${operation}: ${title}`;
}

function row(name: string, expected: string, got: string, mark: string): string {
  const columns = [cut(name, WIDTHS.name), cut(expected, WIDTHS.outcome), cut(got, WIDTHS.outcome), mark];
  return columns.join('  ').trimEnd();
}

function cut(text: string, width: number): string {
  return (text.length > width ? `${text.slice(0, width - 1)}…` : text).padEnd(width);
}
