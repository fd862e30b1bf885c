import { z } from 'zod';

export function whole(least: number, most = Number.MAX_SAFE_INTEGER) {
  const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
  const error = `must be a whole number ${range}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

/** Limits a setting that may be long, so that there is room in the environment for all others (test/infra/environment-size.test.ts). */
export function fitsEnvironment(text: string, most: number, context: z.RefinementCtx): void {
  if (Buffer.byteLength(JSON.stringify(text)) <= most) return;
  const message = `must have at most ${most} bytes as JSON, because Lambda limits the environment of a function to 4 KB`;
  context.addIssue({ code: 'custom', message });
}
