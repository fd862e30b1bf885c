import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import leven from 'leven';
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { allSettings, schemaOf, unitOf } from './all-settings.ts';
import { SettingsError, shown } from './stage-folder.ts';

type Path = readonly PropertyKey[];

/** Settings that may be the path of a file, from the folder of the file of settings. */
const FILES = ['caBundle', 'crl', 'timeStampAuthorities', 'orderSchema'];

/** An alias repeats a part of the file: with more of them, a small file could become gigabytes. */
const MOST_ALIASES = 100;
const LONGEST_VALUE = 80;
const MOST_TYPOS = 3;

/** A file of settings, in YAML or JSON, which YAML includes. */
export interface SettingsFile {
  path: string;
  settings: Record<string, unknown>;
  /** The line of a setting, or undefined if the file does not have it. */
  lineOf(setting: Path): number | undefined;
}

/** @throws SettingsError with the line of what cannot be read. */
export function readSettingsFile(path: string): SettingsFile {
  const text = textOf(path);
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const [fault] = [...document.errors, ...document.warnings];
  if (fault) {
    const { line } = lineCounter.linePos(fault.pos[0]);
    throw new SettingsError(
      `${shown(path)}:${line}: ${fault.message.replace(/; please .*/, '')}: ${text.split('\n')[line - 1]?.trim()}`,
    );
  }
  const lineOf = (setting: Path) => {
    const start = startOf(document.contents, setting);
    return start === undefined ? undefined : lineCounter.linePos(start).line;
  };
  try {
    const settings: unknown = document.toJS({ maxAliasCount: MOST_ALIASES, reviver: absolutePaths(dirname(path)) });
    if (typeof (settings ?? {}) !== 'object' || Array.isArray(settings)) throw new Error('it must hold settings');
    const { $schema: _editors, ...own } = { ...(settings as Record<string, unknown>) };
    return { path, settings: own, lineOf };
  } catch (error) {
    // A value that contains itself exceeds the stack.
    const problem = error instanceof RangeError ? 'a value contains itself' : (error as Error).message;
    throw new SettingsError(`${shown(path)} cannot be read: ${problem}.`);
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new SettingsError(
      `${shown(path)} cannot be read: ${(error as Error).message.replace(/, \w+( '.*')?$/, '')}.`,
    );
  }
}

function absolutePaths(folder: string) {
  return (name: unknown, value: unknown) =>
    typeof value === 'string' && FILES.includes(String(name)) && !value.includes('-----BEGIN')
      ? resolve(folder, value)
      : value;
}

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
  const problems = result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) =>
          sentence(file, [...issue.path, key], unknownSetting(schema, [...issue.path, key].join('.'))),
        )
      : [sentence(file, issue.path, issue.message)],
  );
  throw new SettingsError(problems.join('\n'));
}

function sentence({ path, settings, lineOf }: SettingsFile, setting: Path, problem: string): string {
  const known = setting.map((_, index) => lineOf(setting.slice(0, setting.length - index)));
  const line = known.find((one) => one !== undefined) ?? 1;
  const name = setting.join('.') || 'the stage';
  return `${shown(path)}:${line}: ${name}${valueAt(settings, setting)} ${withUnit(problem, name)}.`;
}

function valueAt(settings: unknown, setting: Path): string {
  const value = setting.reduce<unknown>(
    (part, key) => (part as Record<PropertyKey, unknown> | undefined)?.[key],
    settings,
  );
  if (value === undefined || typeof value === 'object') return '';
  const text = JSON.stringify(value);
  return ` is ${text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text}, but`;
}

/** A number without a unit is what people write wrong. */
function withUnit(problem: string, name: string): string {
  const unit = unitOf(name);
  return unit === undefined ? problem : problem.replace('whole number', `whole number of ${unit}`);
}

function unknownSetting(schema: z.ZodType, name: string): string {
  const distances = allSettings(schemaOf(schema)).map((one) => [leven(name, one.name), one.name] as const);
  const [distance, nearest] = distances.sort(([one], [other]) => one - other)[0] ?? [MOST_TYPOS + 1];
  return `is not a setting${distance > MOST_TYPOS ? '' : `: ${nearest} is`}`;
}

const KINDS: Record<string, string> = { object: 'a group of settings', string: 'a text', boolean: 'true or false' };

/** What a setting may be, where its schema does not say it. */
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
