import * as z from 'zod/mini';
import { describeIssues, ofFile, type Problem, parseJson } from '../json/json-problems.ts';
import { code, editorSchema, member } from '../json/member.ts';
import { DECISION_BYTES, LONGEST_NAME, MOST_CHOICES } from './decision-limits.ts';

/**
 * Control characters, invisible characters (U+2800 is the blank Braille pattern), and marks that change the text direction. They could make
 * one text look like another. Joiners (U+200C, U+200D) and variation selectors are allowed, because languages need them.
 */
const UNSEEN =
  /(?![\p{Join_Control}\p{Variation_Selector}])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

const filled = z.string().check(z.minLength(1));
const isVisible = (text: string) => /[^\s\p{Join_Control}\p{Variation_Selector}]/u.test(text) && !UNSEEN.test(text);
const line = (most: number) =>
  z.string().check(z.minLength(1, { abort: true }), z.maxLength(most), z.refine(isVisible, code('unseen')));

/** Members besides `choices` are passed as one object, from the file to the record and to every view of a decision. */
export const decisionSchema = z.strictObject({
  $schema: editorSchema,
  choices: member(
    'The offers that are taken. An empty list takes no offer.',
    z
      .array(
        z.strictObject({
          offerId: member('The offer.', filled),
          code: member("The code of one of the offer's `creditOptions`.", filled),
        }),
      )
      .check(z.maxLength(MOST_CHOICES)),
  ),
  decidedBy: member(
    `Who decided: a name, an e-mail address, or an ARN, in at most ${LONGEST_NAME} characters. Nobody checks it.`,
    z.optional(line(LONGEST_NAME)),
  ),
});

/** A parsed `decision.json`. */
export type GivenDecision = Omit<z.infer<typeof decisionSchema>, '$schema'>;

/** What a person wrote about a decision. It may name a person, so it is never written to a log, an event or an execution. */
export type Written = Omit<GivenDecision, 'choices'>;

export const DECISION_MEMBERS = Object.keys(decisionSchema.shape);

/** Parses a `decision.json`. `bytes` is undefined if the file is larger than {@link DECISION_BYTES}. */
export function parseDecision(bytes: Uint8Array | undefined): GivenDecision | { problems: Problem[] } {
  if (!bytes) return { problems: [ofFile('decisionTooLarge', { most: DECISION_BYTES })] };
  const parsed = parseJson('decision.json', bytes);
  if ('problem' in parsed) return { problems: [parsed.problem] };
  const result = decisionSchema.safeParse(parsed.value, { reportInput: true });
  const problems = [...parsed.repeated, ...describeIssues(result.error)];
  if (!result.success || problems.length > 0) return { problems };
  const { $schema: _editor, ...given } = result.data;
  return given;
}
