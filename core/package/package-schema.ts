import jsonata from 'jsonata';
import * as z from 'zod/mini';
import { bounded } from '../bounded.ts';
import { describeIssues, type Problem, parseJson } from '../json/json-problems.ts';
import { code, editorSchema, member } from '../json/member.ts';
import { FILE, isFileName, LONGEST_FILE } from './intake-key.ts';

/** This many documents with the longest identifiers fit into an order's record. DynamoDB limits an item to 400 KB. */
export const MAX_DOCUMENTS = 100;

/** A longer rule is refused before it is parsed. The size of `order.json` is bounded in `whole-package.ts`. */
export const MAX_RULE_CHARACTERS = 20_000;

export interface PackageDefaults {
  /** Who chooses offers if the package does not specify it. */
  choose: 'manual' | 'rule';
  hasRule: boolean;
  /** Who signs if the package does not specify it. */
  signing: 'external' | 'kms';
  hasKey: boolean;
}

export type OrderPackage = z.infer<ReturnType<typeof packageSchema>>;

/** Who chooses: as the package specifies, else its rule if it has one, else the stage's setting. */
export function whoChooses(
  offers: { choose?: PackageDefaults['choose'] | undefined; rule?: string | undefined } | undefined,
  defaults: Pick<PackageDefaults, 'choose'>,
): PackageDefaults['choose'] {
  return offers?.choose ?? (offers?.rule === undefined ? defaults.choose : 'rule');
}

const identifier = (meaning: string) => member(meaning, z.string().check(z.minLength(1), z.maxLength(256)));

const fileName = ({ input }: { input?: unknown }) =>
  code('fileName', { file: JSON.stringify(bounded(String(input), 100)) });
const document = z.strictObject({
  file: member(
    'Path of the file in the package, below `documents/`. Allowed characters: `A-Z a-z 0-9 . _ -` and `/`.',
    z.string().check(z.maxLength(LONGEST_FILE), z.regex(FILE, { error: fileName })),
  ),
  entityId: identifier('Identifier of the entity the document belongs to.'),
  sourceEntityId: identifier('Identifier of the source entity.'),
  docType: identifier('Type of the document, as the order service names it.'),
});

const order = z
  .record(z.string(), z.unknown())
  .check(z.refine((data) => Object.keys(data).length > 0, code('noOrderData')));

const rule = z
  .string()
  .check(z.minLength(1), atMost(MAX_RULE_CHARACTERS, 'characters'), z.refine(isExpression, code('notJsonata')));
const offers = z.strictObject({
  choose: member(
    "`manual`: `decision.json` decides. `rule`: the rule decides. Absent: `rule` if the package has one, else the stage's setting.",
    z.optional(z.enum(['manual', 'rule'])),
  ),
  rule: member(
    'JSONata expression over `{ order, offers }` that returns `[{ "offerId": …, "code": … }]`. Absent: the stage\'s rule.',
    z.optional(rule),
  ),
});

export function packageSchema(stage: PackageDefaults) {
  return z
    .strictObject({
      $schema: editorSchema,
      order: member('The order data. Sent to `POST /v1/orders` exactly as it stands, numbers to the digit.', order),
      documents: member(
        'The documents that the order service requires.',
        z.array(document).check(z.minLength(1, code('noDocuments')), atMost(MAX_DOCUMENTS, 'elements')),
      ),
      signing: member(
        "Who signs. `external`: the partner's own signer. `kms`: the stage's KMS key. Absent: the stage's setting.",
        z.optional(
          z.enum(['external', 'kms']).check(z.refine((value) => value !== 'kms' || stage.hasKey, code('noKey'))),
        ),
      ),
      offers: member('How offers are chosen.', z.optional(offers)),
    })
    .check(
      z.refine(({ offers }) => whoChooses(offers, stage) !== 'rule' || offers?.rule !== undefined || stage.hasRule, {
        path: ['offers', 'rule'],
        error: code('noRule'),
        // Runs also if the package has other problems, because all are reported at once. Too many documents are reported separately.
        when: ({ value }) => typeof value === 'object' && value !== null,
      }),
    );
}

/** `abort` ends the checks of the member: a rule that is too long is refused before it is parsed. */
function atMost(most: number, things: 'characters' | 'elements') {
  const error = ({ input }: { input?: unknown }) =>
    code('tooMany', { things, most, count: (input as ArrayLike<unknown>).length });
  return z.maxLength(most, { abort: true, error });
}

function isExpression(text: string): boolean {
  try {
    jsonata(text);
    return true;
  } catch {
    return false;
  }
}

export interface NamedFile {
  position: number;
  file: string;
}

export interface CheckedPackage {
  problems: Problem[];
  /** Every file whose name is allowed, also if the package has problems. */
  files: NamedFile[];
  /** Present if there are no problems. */
  content?: OrderPackage;
  /** The unchanged order data, also if the package has problems. */
  order?: unknown;
}

/** Checks an `order.json` and returns all problems at once. Does not look for the files that it names. */
export function checkPackage(bytes: Uint8Array, stage: PackageDefaults): CheckedPackage {
  const parsed = parseJson('order.json', bytes);
  if ('problem' in parsed) return { problems: [parsed.problem], files: [] };
  const files = namedFiles(parsed.value);
  const { data, error } = packageSchema(stage).safeParse(parsed.value, { reportInput: true });
  const order = (parsed.value as { order?: unknown } | null)?.order;
  return { problems: [...parsed.repeated, ...describeIssues(error)], files, order, ...(data && { content: data }) };
}

function namedFiles(value: unknown): NamedFile[] {
  const documents = (value as { documents?: unknown } | null)?.documents;
  // A list that is too long is refused. Its files need not be looked up.
  if (!Array.isArray(documents) || documents.length > MAX_DOCUMENTS) return [];
  return documents.flatMap((document, position) => {
    const file = (document as { file?: unknown } | null)?.file;
    return isFileName(file) ? [{ position, file }] : [];
  });
}
