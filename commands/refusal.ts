/** Why a command does not do what it was told: one plain sentence or two for the operator. Exit code 1. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** What a command answers: `lines` for people, or `json` for scripts. */
export interface Answer {
  lines: string[];
  json: unknown;
  /** Where it is not 0. */
  exitCode?: number;
}
