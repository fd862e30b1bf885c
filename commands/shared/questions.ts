import { isCancel, updateSettings } from '@clack/prompts';
import { INTERRUPTED, Refusal } from './text.ts';

// Ctrl-D ends a question as Ctrl-C does. Otherwise, the question would never settle.
updateSettings({ aliases: { '\u0004': 'cancel' } });

/** Whether somebody can be asked. Questions are written to standard error, so that an answer in a pipe stays clean. */
export function canAsk(): boolean {
  return Boolean(process.stdin.isTTY && process.stderr.isTTY);
}

/**
 * The answer to a question.
 * @param nothing what is said after Ctrl-C, Ctrl-D or Esc: that nothing was done.
 * @throws Refusal with the exit code of an interruption after Ctrl-C, Ctrl-D or Esc.
 */
export async function answered<Value>(question: Promise<Value>, nothing: string): Promise<Exclude<Value, symbol>> {
  const answer = await question;
  if (isCancel(answer)) throw new Refusal(nothing, INTERRUPTED);
  return answer as Exclude<Value, symbol>;
}
