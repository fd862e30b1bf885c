import { describeIssues, type Problem, parseJson } from '../json/json-problems.ts';
import { isFileName, MOST_DOCUMENTS, type OrderPackage, packageSchema } from './package-schema.ts';

/** A document's place in `$.documents` and its file, where the name can be used at all. */
export interface NamedFile {
  position: number;
  file: string;
}

/** `files` holds every file that can be looked up, whatever else is wrong; `content` is there when nothing is. */
export interface CheckedPackage {
  problems: Problem[];
  files: NamedFile[];
  content?: OrderPackage;
}

/** What the stage does where a package does not say. */
export interface PackageDefaults {
  choose: 'manual' | 'rule';
  /** Whether the stage has a rule of its own. */
  hasRule: boolean;
  /** Who signs where a package does not say. */
  signing: 'external' | 'kms';
  /** Whether the stage has a KMS key to sign with. */
  hasKey: boolean;
}

/** Checks the text of an `order.json`: every problem at once. The files that it names are looked up by the caller. */
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

/** Who chooses: as the package says, else its rule if it brings one, else as the stage says. */
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
  return [{ path: '$.offers.rule', problem: 'It is missing.', mend: 'Add a JSONata expression, or choose "manual".' }];
}

function keyProblems(value: unknown, { hasKey }: PackageDefaults): Problem[] {
  const { signing } = (value ?? {}) as { signing?: unknown };
  if (signing !== 'kms' || hasKey) return [];
  return [
    { path: '$.signing', problem: 'This stage has no KMS key to sign with.', mend: 'Say "external", or leave it out.' },
  ];
}

function namedFiles(value: unknown): NamedFile[] {
  const documents = (value as { documents?: unknown } | null)?.documents;
  if (!Array.isArray(documents)) return [];
  // A list that is too long is refused as it is: its files are not looked up.
  if (documents.length > MOST_DOCUMENTS) return [];
  return documents.flatMap((document, position) => {
    const file = (document as { file?: unknown } | null)?.file;
    return isFileName(file) ? [{ position, file }] : [];
  });
}
