import { dirname, resolve } from 'node:path';
import leven from 'leven';
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type * as z from 'zod';
import { allSettings, schemaOf, unitOf } from './all-settings.ts';
import { SettingsError, shown } from './stage-folder.ts';
import { textOf } from './text-file.ts';

type Path = readonly PropertyKey[];

/** Settings that may be the path of a file, relative to the folder of the settings file. */
const FILES = ['caBundle', 'crl', 'timeStampAuthorities', 'orderSchema'];

const LONGEST_VALUE = 80;
const MOST_TYPOS = 3;

/** A settings file in YAML or JSON (a subset of YAML). */
export interface SettingsFile {
  path: string;
  settings: Record<string, unknown>;
  /** The line of a setting, or undefined if the file does not have it. Settings of an object have no lines. */
  lineOf?(setting: Path): number | undefined;
}

/** @throws SettingsError with the line of what cannot be read. */
export function readSettingsFile(path: string): Required<SettingsFile> {
  const lineCounter = new LineCounter();
  const lineAt = (position: number) => lineCounter.linePos(position).line;
  try {
    const text = textOf(path);
    const document = parseDocument(text, { lineCounter, prettyErrors: false });
    const fault = document.errors[0] ?? document.warnings[0];
    if (fault) {
      const line = lineAt(fault.pos[0] ?? 0);
      const problem = fault.message.replace(/; please .*/, '');
      const quoted = JSON.stringify(shortened(text.split('\n')[line - 1]?.trim() ?? ''));
      throw new SettingsError(`${shown(path)}:${line}: ${problem}: ${quoted}.`);
    }
    const settings: unknown = document.toJS({ reviver: absolutePaths(dirname(path)) });
    if (typeof (settings ?? {}) !== 'object' || Array.isArray(settings)) throw new Error('it must hold settings');
    const { $schema: _editors, ...own } = { ...(settings as Record<string, unknown>) };
    const lineOf = (setting: Path) => {
      const start = startOf(document.contents, setting);
      return start === undefined ? undefined : lineAt(start);
    };
    return { path, settings: own, lineOf };
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    throw new SettingsError(`${shown(path)} cannot be read: ${(error as Error).message}.`);
  }
}

const absolutePaths = (folder: string) => (name: unknown, value: unknown) =>
  typeof value === 'string' && FILES.includes(String(name)) && !value.includes('-----BEGIN')
    ? resolve(folder, value)
    : value;

/** Where a setting starts in the text. */
function startOf(contents: unknown, path: Path): number | undefined {
  let [node, start] = [contents, 0 as number | undefined];
  for (const key of path) {
    if (isMap(node)) {
      const pair = node.items.find((one) => isScalar(one.key) && String(one.key.value) === String(key));
      [node, start] = [pair?.value, (pair?.key as { range?: number[] } | undefined)?.range?.[0]];
    } else {
      node = isSeq(node) ? node.items[Number(key)] : undefined;
      start = (node as { range?: number[] } | undefined)?.range?.[0];
    }
  }
  return start;
}

/**
 * The settings of a file with the defaults of the schema.
 * @throws SettingsError that names each setting that cannot be used, its value, what is allowed, and the line.
 */
export function checkSettings<Schema extends z.ZodType>(file: SettingsFile, schema: Schema): z.infer<Schema> {
  const result = schema.safeParse(file.settings, { error: allowedBy });
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue): { path: PropertyKey[]; message?: string }[] =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => ({ path: [...issue.path, key] })) : [issue],
  );
  const isFirst = ({ path }: { path: Path }, at: number) =>
    path.length === 0 || problems.findIndex((one) => one.path.join('.') === path.join('.')) === at;
  const sentences = problems
    .filter(isFirst)
    .sort((one, other) => lineOf(file, one.path) - lineOf(file, other.path))
    .map(({ path, message }) => sentence(file, path, message ?? unknownSetting(schema, path.join('.'))));
  throw new SettingsError(sentences.join('\n'));
}

/** The line of a setting or, if it is missing, of its group. */
function lineOf(file: SettingsFile, setting: Path): number {
  const known = setting.map((_, index) => file.lineOf?.(setting.slice(0, setting.length - index)));
  return known.find((one) => one !== undefined) ?? 1;
}

function sentence(file: SettingsFile, setting: Path, problem: string): string {
  const { path, settings } = file;
  const name = setting.join('.') || 'the stage';
  const where = file.lineOf ? `${shown(path)}:${lineOf(file, setting)}` : path;
  return `${where}: ${name}${given(valueAt(settings, setting))} ${withUnit(problem, name)}.`;
}

export const valueAt = (settings: unknown, path: Path): unknown =>
  path.reduce<unknown>((part, key) => (part as Record<PropertyKey, unknown> | undefined)?.[key], settings);

function given(value: unknown): string {
  if (value === undefined || typeof value === 'object') return '';
  // JSON has no infinite number. The user in a URL may be followed by a password.
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value).replace(/\/\/[^/]*@/, '//…@');
  return ` is ${shortened(text)}, but`;
}

const shortened = (text: string) => (text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text);

/** Adds the unit of a number, because people often get it wrong. */
function withUnit(problem: string, name: string): string {
  const unit = unitOf(name);
  return unit === undefined ? problem : problem.replace('whole number', `whole number of ${unit}`);
}

/** Replacements for removed settings. */
const SUCCESSORS: Record<string, string> = {
  'alarms.documentation': 'the texts of alarms name the folder docs/',
  'alarms.email': 'alarms.notify is',
  'alarms.topicArn': 'alarms.notify is',
  bootstrapQualifier: 'the context @aws-cdk/core:bootstrapQualifier of the CDK does the same',
  copies: 'replicate buckets of your own, or use AWS Backup (docs/recovery.md#a-region)',
  unavailableProvesNothingDone: 'orderService.notDone lists the statuses that prove that a call was not done',
};

/** Suggests the intended setting: the group may be missing, or the name misspelled. */
function unknownSetting(schema: z.ZodType, name: string): string {
  if (Object.hasOwn(SUCCESSORS, name)) return `is no longer a setting: ${SUCCESSORS[name]}`;
  const lastOf = (setting: string) => setting.slice(setting.lastIndexOf('.') + 1);
  const typed = lastOf(name);
  const distances = allSettings(schemaOf(schema)).map(
    (one) => [leven(typed, lastOf(one.name)), leven(name, one.name), one.name] as const,
  );
  const [nearest] = distances.sort(([one, oneWhole], [other, otherWhole]) => one - other || oneWhole - otherWhole);
  if (nearest === undefined || nearest[0] > Math.min(MOST_TYPOS, typed.length / 3)) return 'is not a setting';
  return nearest[1] === 0
    ? `is not a setting: write ${typed} as a member of its group`
    : `is not a setting: ${nearest[2]} is`;
}

const KINDS: Record<string, string> = {
  object: 'a group of settings',
  record: 'a group of names with values',
  array: 'a list',
  string: 'a text',
  boolean: 'true or false',
};

/** The allowed values of a setting whose schema has no message. */
export function allowedBy(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_value':
      return `must be ${issue.values.map(String).join(' or ')}`;
    case 'invalid_type':
      return `must be ${KINDS[issue.expected] ?? `a ${issue.expected}`}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'must be an address, such as https://orders.example' : undefined;
    case 'too_small':
      return `must be or have at least ${issue.minimum}`;
    case 'too_big':
      return `must be or have at most ${issue.maximum}`;
    default:
      return undefined;
  }
}
