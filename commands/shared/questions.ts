import { INTERRUPTED, Refusal } from './text.ts';

/** The library for questions on a terminal. Loaded at the first question. */
export async function questions() {
  const prompts = await import('@clack/prompts');
  // Ctrl-D ends a question as Ctrl-C does. Otherwise, the question would never settle.
  prompts.updateSettings({ aliases: { '\u0004': 'cancel' } });
  return prompts;
}

/** Whether questions are possible. They are written to standard error, so a pipe gets only the command's output. */
export function canAsk(): boolean {
  return Boolean(process.stdin.isTTY && process.stderr.isTTY);
}

/** @throws Refusal that says `nothing`, with the exit code of an interruption, after Ctrl-C, Ctrl-D or Esc. */
export async function answered<Value>(question: Promise<Value>, nothing: string): Promise<Exclude<Value, symbol>> {
  const answer = await question;
  if ((await questions()).isCancel(answer)) throw new Refusal(nothing, INTERRUPTED);
  return answer as Exclude<Value, symbol>;
}

/** @throws Refusal unless a person answers yes: with `otherwise` after a no, with `nothing` after Ctrl-C or Esc. */
export async function requireYes(message: string, nothing: string, otherwise = nothing): Promise<void> {
  const { confirm } = await questions();
  if (!(await answered(confirm({ message, initialValue: false, output: process.stderr }), nothing)))
    throw new Refusal(otherwise);
}
