import { INTERRUPTED, Refusal } from './text.ts';

/** Whether questions are possible. They are written to standard error, so a pipe gets only the command's output. */
export function canAsk(): boolean {
  return Boolean(process.stdin.isTTY && process.stderr.isTTY);
}

/** @throws Refusal unless a person answers yes: with `otherwise` after a no, with `nothing` and an interruption's code after Ctrl-C or Esc. */
export async function requireYes(message: string, nothing: string, otherwise = nothing): Promise<void> {
  const { confirm, isCancel, updateSettings } = await import('@clack/prompts');
  // Ctrl-D ends a question as Ctrl-C does. Otherwise, the question would never settle.
  updateSettings({ aliases: { '\u0004': 'cancel' } });
  const answer = await confirm({ message, initialValue: false, output: process.stderr });
  if (isCancel(answer)) throw new Refusal(nothing, INTERRUPTED);
  if (!answer) throw new Refusal(otherwise);
}
