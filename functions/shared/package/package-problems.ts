import { describeIssues, type Problem, parseJson } from '../json/json-problems.ts';
import { isFileName, MAX_DOCUMENTS, type OrderPackage, packageSchema } from './package-schema.ts';

/** A document's file and its position in `$.documents`. */
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
}

/** The stage's settings for what a package leaves out. */
export interface PackageDefaults {
  /** Who chooses offers. */
  choose: 'manual' | 'rule';
  /** Whether the stage has a rule. */
  hasRule: boolean;
  /** Who signs. */
  signing: 'external' | 'kms';
  /** Whether the stage has a KMS key to sign with. */
  hasKey: boolean;
}

/** Checks an `order.json` and returns all problems at once. Does not look for the files that it names. */
export function checkPackage(bytes: Uint8Array, defaults: PackageDefaults): CheckedPackage {
  const parsed = parseJson('order.json', bytes);
  if ('problem' in parsed) return { problems: [parsed.problem], files: [] };
  const files = namedFiles(parsed.value);
  const result = packageSchema.safeParse(parsed.value, { reportInput: true });
  const problems = [
    ...describeIssues(result.error),
    ...ruleProblems(parsed.value, defaults),
    ...keyProblems(parsed.value, defaults),
  ];
  return problems.length > 0 ? { problems, files } : { problems, files, content: result.data as OrderPackage };
}

/** Who chooses: what the package says, else its rule if it has one, else what the stage says. */
export function whoChooses(
  offers: OrderPackage['offers'],
  defaults: Pick<PackageDefaults, 'choose'>,
): PackageDefaults['choose'] {
  return offers?.choose ?? (offers?.rule === undefined ? defaults.choose : 'rule');
}

function ruleProblems(value: unknown, defaults: PackageDefaults): Problem[] {
  const offers = (value as { offers?: OrderPackage['offers'] } | null)?.offers;
  const { rule } = offers ?? {};
  if (whoChooses(offers, defaults) !== 'rule' || rule !== undefined || defaults.hasRule) return [];
  const mend = 'Add a JSONata expression, or set choose to "manual".';
  return [{ path: '$.offers.rule', problem: 'It is missing.', mend }];
}

function keyProblems(value: unknown, { hasKey }: PackageDefaults): Problem[] {
  const { signing } = (value ?? {}) as { signing?: unknown };
  if (signing !== 'kms' || hasKey) return [];
  return [
    { path: '$.signing', problem: 'This stage has no KMS key to sign with.', mend: 'Write "external", or remove it.' },
  ];
}

function namedFiles(value: unknown): NamedFile[] {
  const documents = (value as { documents?: unknown } | null)?.documents;
  if (!Array.isArray(documents)) return [];
  // The schema refuses a list that is too long. Its files need not be looked up.
  if (documents.length > MAX_DOCUMENTS) return [];
  return documents.flatMap((document, position) => {
    const file = (document as { file?: unknown } | null)?.file;
    return isFileName(file) ? [{ position, file }] : [];
  });
}
