import type { Result } from './run.ts';

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
