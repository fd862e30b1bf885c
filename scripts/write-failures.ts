import { adviceFor, FAILURES } from '../commands/shared/failure-advice.ts';
import { rewrite, withBlock } from './marked-block.ts';

/** The document with the table of failures, which is generated from the advice of the command `show`. */
export const OPERATIONS = new URL('../docs/operations.md', import.meta.url);

export function withFailures(document: string): string {
  const lines = Object.keys(FAILURES).map((key) => `| ${failure(key)} | ${cellsOf(key)} |`);
  const table = ['| Failure | What happened | Next step | Command |', '| --- | --- | --- | --- |', ...lines].join('\n');
  return withBlock(document, 'failures', table);
}

function failure(key: string): string {
  const [, names = '', which = ''] = /^([^(]*)(.*)$/.exec(key) ?? [];
  return names.replaceAll(/[A-Z][\w.]+/g, (name) => `\`${name.replace(/[.]$/, '.…')}\``) + which;
}

function cellsOf(key: string): string {
  const { happened, step, command, section } = adviceFor(key, '<ref>');
  const code = (text: string) => text.replaceAll(/loan-orders \w+ <ref>( --reason "\w+"| --upload n --done)?/g, '`$&`');
  const shown = command.endsWith('retry <ref>') ? '' : `\`${command.replace(/^loan-orders /, '')}\``;
  return `[${happened}](${section.replace('docs/operations.md', '')}) | ${code(step)} | ${shown}`;
}

if (import.meta.main) rewrite(OPERATIONS, withFailures);
