/** The result of a check. A problem includes what to do. */
export interface Verdict {
  state: 'ok' | 'problem' | 'not checked';
  message: string;
}

export type Finding = { check: string } & Verdict;

export function finding(check: string, isOk: boolean, message: string): Finding {
  return { check, state: isOk ? 'ok' : 'problem', message };
}

/** The prefix of a line in a report. */
export const MARKS: Record<Verdict['state'], string> = { ok: 'ok', problem: '!!', 'not checked': '--' };

export function ok(message: string): Verdict {
  return { state: 'ok', message };
}

export function problem(message: string): Verdict {
  return { state: 'problem', message };
}

/** A check that cannot run because an earlier one failed. The message is the reason, without a full stop. */
export class NotChecked extends Error {
  override readonly name = 'NotChecked';
}
