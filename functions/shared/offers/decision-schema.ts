import * as z from 'zod/mini';
import { describeIssues, type Problem, parseJson } from '../json/json-problems.ts';
import type { Choice } from '../order/choices.ts';
import { DECISION_LIMIT } from './decision-limit.ts';

const filled = z.string().check(z.minLength(1));
const decisionSchema = z.strictObject({
  choices: z.array(z.strictObject({ offerId: filled, code: filled })).check(z.maxLength(100)),
});

/** Parses a `decision.json`. `bytes` is undefined if the file is larger than {@link DECISION_LIMIT}. */
export function parseDecision(bytes: Uint8Array | undefined): { choices: Choice[] } | { problems: Problem[] } {
  if (!bytes) {
    const problem = `decision.json is larger than ${DECISION_LIMIT} bytes.`;
    return { problems: [{ path: '$', problem, mend: 'Write nothing but the choices into it.' }] };
  }
  const parsed = parseJson('decision.json', bytes);
  if ('problem' in parsed) return { problems: [parsed.problem] };
  const result = decisionSchema.safeParse(parsed.value, { reportInput: true });
  return result.success ? { choices: result.data.choices } : { problems: describeIssues(result.error) };
}
