/** Exit code of a refusal. */
export const REFUSED = 1;

/** Exit code after Ctrl-C: 128 and the number of the signal, as shells have it. */
export const INTERRUPTED = 130;

/** A command refuses to act. The message tells the operator why in one or two sentences. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly exitCode: number;

  constructor(message: string, exitCode = REFUSED) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A command's answer: `lines` for people, `json` for scripts. */
export interface Answer {
  lines: string[];
  json: unknown;
  /** Default: 0. */
  exitCode?: number;
}
