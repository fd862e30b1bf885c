import * as z from 'zod/mini';
import { describeIssues, ofFile, type Problem, parseJson } from '../json/json-problems.ts';
import { repeatedName } from '../json/lossless-json.ts';
import { code, editorSchema, member } from '../json/member.ts';
import { DECISION_BYTES, LONGEST_NAME, MOST_CHOICES } from './decision-limits.ts';

/**
 * Control characters, marks and letters that cannot be seen (U+2800 is a Braille letter without a dot), and marks that turn the direction of
 * the text. They could make one text look like another. Languages need the joiners of letters (U+200C, U+200D) and the variants of signs.
 */
const UNSEEN =
  /(?![\p{Join_Control}\p{Variation_Selector}])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

const filled = z.string().check(z.minLength(1));
const isVisible = (text: string) => /[^\s\p{Join_Control}\p{Variation_Selector}]/u.test(text) && !UNSEEN.test(text);
const line = (most: number) =>
  z.string().check(z.minLength(1, { abort: true }), z.maxLength(most), z.refine(isVisible, code('unseen')));

/** Members besides `choices` travel as one object, from the file to the record and to everything that shows a decision. */
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

/** What a `decision.json` decides and says. */
export type GivenDecision = Omit<z.infer<typeof decisionSchema>, '$schema'>;

/** What a person wrote about a decision. It may name a person, so it is in no log, event or execution. */
export type Written = Omit<GivenDecision, 'choices'>;

export const DECISION_MEMBERS = Object.keys(decisionSchema.shape);

/** Parses a `decision.json`. `bytes` is undefined if the file is larger than {@link DECISION_BYTES}. */
export function parseDecision(bytes: Uint8Array | undefined): GivenDecision | { problems: Problem[] } {
  if (!bytes) return { problems: [ofFile('decisionTooLarge', { most: DECISION_BYTES })] };
  const parsed = parseJson('decision.json', bytes);
  if ('problem' in parsed) return { problems: [parsed.problem] };
  // Of two lists of choices, nobody knows which one was meant.
  if (repeatedName(new TextDecoder().decode(bytes)) !== undefined) return { problems: [ofFile('repeatedProperty')] };
  const result = decisionSchema.safeParse(parsed.value, { reportInput: true });
  if (!result.success) return { problems: describeIssues(result.error) };
  const { $schema: _editor, ...given } = result.data;
  return given;
}
