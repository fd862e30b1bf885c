import { FAILURES, failureAdvice } from '../commands/show/failure-advice.ts';
import { rewrite, withBlock } from './marked-block.ts';

/** The document whose table of failures is generated from the advice that `show` gives. */
export const OPERATIONS = new URL('../docs/operations.md', import.meta.url);

const ANY_OTHER = 'any other name';

/** Returns the document with a new table of failures. Errors with the same advice share a row. */
export function withFailures(document: string): string {
  const rows = new Map<string, string[]>();
  for (const name of [...Object.keys(FAILURES), ANY_OTHER]) {
    const cells = cellsOf(name);
    rows.set(cells, [...(rows.get(cells) ?? []), name === ANY_OTHER ? name : `\`${name.replace(/[.]$/, '.…')}\``]);
  }
  const lines = [...rows].map(([cells, names]) => `| ${names.join(', ')} | ${cells} |`);
  const table = ['| Failure | What happened | What to do |', '| --- | --- | --- |', ...lines].join('\n');
  return withBlock(document, 'failures', table);
}

function cellsOf(name: string): string {
  const { happened, fix, section } = failureAdvice(name, '<ref>');
  const toDo = fix.replaceAll(/"(loan-orders [^"]+)"/g, '`$1`');
  return `[${happened}](${section.replace('docs/operations.md', '')}) | ${toDo}`;
}

if (import.meta.main) rewrite(OPERATIONS, withFailures);
