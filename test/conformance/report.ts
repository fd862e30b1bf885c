import type { Result } from './run.ts';

/** The differences that the table explains. */
export function knownDifferences(results: Result[], engine?: string): string[] {
  const known = results.filter(({ verdict }) => verdict === 'known');
  return known.map((result) => `- ${inWords(result)} ${reasonOf(result, engine)} ${result.case.source}`);
}

/** What must be fixed: in the engine, or in the table. */
export function problems(results: Result[], engine?: string): string[] {
  return results.flatMap((result) => {
    if (result.verdict === 'unexplained') return `${inWords(result)} ${result.case.source}`;
    if (result.verdict !== 'stale') return [];
    return `${inWords(result)} The difference in the table is another: ${reasonOf(result, engine)}`;
  });
}

function reasonOf({ case: { differs } }: Result, engine = ''): string {
  return differs[engine as keyof typeof differs]?.why ?? '';
}

function inWords({ service, case: { operation, title }, expected, got }: Result): string {
  return `${service} ${operation}: ${title}: AWS answers ${expected}, this engine ${got}.`;
}
