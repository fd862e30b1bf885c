import * as z from 'zod/mini';
import { describeIssues, type Problem, parseJson } from '../json/json-problems.ts';
import type { Choice } from '../order/choices.ts';
import { DECISION_LIMIT, LONGEST_NAME } from './decision-limit.ts';

/** The content of a `decision.json`. */
export interface GivenDecision {
  choices: Choice[];
  /** Who decided: a name, an e-mail address, or an ARN. */
  decidedBy?: string | undefined;
}

/**
 * Control characters, marks and letters that cannot be seen (U+2800 is a Braille letter without a dot), and marks that turn the direction of
 * the text. They could make one name look like another.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

const filled = z.string().check(z.minLength(1));
const name = z.string().check(
  z.minLength(1),
  z.maxLength(LONGEST_NAME),
  z.refine((text) => text === '' || (/\S/.test(text) && !UNSEEN.test(text))),
);
const decisionSchema = z.strictObject({
  choices: z.array(z.strictObject({ offerId: filled, code: filled })).check(z.maxLength(100)),
  decidedBy: z.optional(name),
});

/** Parses a `decision.json`. `bytes` is undefined if the file is larger than {@link DECISION_LIMIT}. */
export function parseDecision(bytes: Uint8Array | undefined): GivenDecision | { problems: Problem[] } {
  if (!bytes) {
    const problem = `decision.json is larger than ${DECISION_LIMIT} bytes.`;
    return { problems: [{ path: '$', problem, mend: 'Write nothing but the choices into it.' }] };
  }
  const parsed = parseJson('decision.json', bytes);
  if ('problem' in parsed) return { problems: [parsed.problem] };
  const result = decisionSchema.safeParse(parsed.value, { reportInput: true });
  return result.success ? result.data : { problems: describeIssues(result.error) };
}
