/** A command refuses to act, with exit code 1. The message tells the operator why in one or two sentences. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** A command's answer: `lines` for people, `json` for scripts. */
export interface Answer {
  lines: string[];
  json: unknown;
  /** Default: 0. */
  exitCode?: number;
}
