import { describeIssues, type Problem, parseJson } from '../json/json-problems.ts';
import { byLimit } from '../limits.ts';
import { isFileName } from './file-name.ts';
import { type OrderPackage, packageSchema } from './package-schema.ts';

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
  /** The stage's limits of these names. */
  limits: { documents: number; ruleCharacters: number };
}

/** Checks an `order.json` and returns all problems at once. Does not look for the files that it names. */
export function checkPackage(bytes: Uint8Array, defaults: PackageDefaults): CheckedPackage {
  const parsed = parseJson('order.json', bytes);
  if ('problem' in parsed) return { problems: [parsed.problem], files: [] };
  const files = namedFiles(parsed.value, defaults.limits.documents);
  const result = packageSchema.safeParse(parsed.value, { reportInput: true });
  const tooMuch = limitProblems(parsed.value, defaults);
  const problems = [
    ...tooMuch,
    // The schema has limits of its own, which are those of every stage.
    ...describeIssues(result.error).filter(({ path }) => !tooMuch.some((problem) => problem.path === path)),
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

function limitProblems(value: unknown, { limits }: PackageDefaults): Problem[] {
  const { documents, offers } = (value ?? {}) as { documents?: unknown; offers?: { rule?: unknown } | null };
  const rule = offers?.rule;
  const problems: Problem[] = [];
  if (Array.isArray(documents) && documents.length > limits.documents) {
    const problem = `It has ${documents.length} elements; at most ${limits.documents} are allowed.`;
    problems.push({ path: '$.documents', problem, mend: `Send fewer documents. ${byLimit('documents')}` });
  }
  if (typeof rule === 'string' && rule.length > limits.ruleCharacters) {
    const problem = `It has ${rule.length} characters; at most ${limits.ruleCharacters} are allowed.`;
    problems.push({ path: '$.offers.rule', problem, mend: `Shorten it. ${byLimit('ruleCharacters')}` });
  }
  return problems;
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

function namedFiles(value: unknown, most: number): NamedFile[] {
  const documents = (value as { documents?: unknown } | null)?.documents;
  if (!Array.isArray(documents)) return [];
  // The list is refused. Its files need not be looked up.
  if (documents.length > most) return [];
  return documents.flatMap((document, position) => {
    const file = (document as { file?: unknown } | null)?.file;
    return isFileName(file) ? [{ position, file }] : [];
  });
}
