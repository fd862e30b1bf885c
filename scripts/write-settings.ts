import { mkdirSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { stageSchema } from '../infra/stage-settings.ts';
import { stageSettings } from '../infra/stages.ts';

interface Schema {
  description?: string;
  type?: string;
  format?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
}

interface Setting {
  name: string;
  schema: Schema;
  /** Whether it is a group of settings, each of which is described too. */
  isGroup: boolean;
}

const STAGES = ['test', 'prod', 'local'] as const;
const BYTES: [number, string][] = [
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
];

/** Every setting of a stage and every group of them, in the order of the schema. */
export function allSettings(): Setting[] {
  return settingsIn(z.toJSONSchema(stageSchema, { io: 'input' }) as Schema, '');
}

function settingsIn({ properties = {} }: Schema, prefix: string): Setting[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const name = `${prefix}${key}`;
    const isGroup = schema.properties !== undefined;
    return [{ name, schema, isGroup }, ...settingsIn(schema, `${name}.`)];
  });
}

/** The settings as tables in Markdown: those of no group first, then each group. */
export function settingsPage(): string {
  const settings = allSettings();
  const alone = settings.filter(({ name, isGroup }) => !isGroup && !name.includes('.'));
  const groups = settings.filter(({ name, isGroup }) => isGroup && !name.includes('.'));
  const members = (group: string) => settings.filter(({ name, isGroup }) => !isGroup && name.startsWith(`${group}.`));
  return [
    '# Settings of a stage\n\n`npm run generate` writes this page. "Not shown" means that the specification of the order service leaves it open.\n\n',
    table(alone),
    ...groups.map(({ name, schema }) => `\n## ${name}\n\n${schema.description}\n\n${table(members(name))}`),
  ].join('');
}

function table(settings: readonly Setting[]): string {
  const rows = settings.map(({ name, schema }) => {
    const cells = [`\`${name}\``, valuesOf(schema, name), stageValues(name), schema.description ?? ''];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  });
  return ['| Setting | Values | Value | Meaning |\n| --- | --- | --- | --- |\n', ...rows].join('');
}

/** The allowed values of a setting, from its schema. */
function valuesOf(schema: Schema, name: string): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => valuesOf(one, name)).join(', ');
  if (schema.enum !== undefined) return schema.enum.map((one) => code(one)).join(', ');
  if (schema.const !== undefined) return code(schema.const);
  if (schema.type === 'boolean') return '`true`, `false`';
  if (schema.type === 'integer' || schema.type === 'number') return rangeOf(schema, name);
  if (schema.type === 'array') return `${schema.minItems} to ${schema.maxItems} texts`;
  if (schema.properties !== undefined)
    return Object.entries(schema.properties)
      .map(([key, one]) => `\`${key}\`: ${valuesOf(one, name)}`)
      .join(', ');
  if (typeof schema.additionalProperties === 'object')
    return `texts with ${valuesOf(schema.additionalProperties, name)}`;
  return schema.format === 'uri' ? 'an address' : 'a text';
}

function rangeOf({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema, name: string): string {
  const [least, most] = [minimum, maximum].map((value) => amount(value, name));
  return maximum === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
}

/** One value if all stages have the same one, otherwise the value of each stage. */
function stageValues(name: string): string {
  const values = STAGES.map((stage) => valueIn(stage, name));
  const [first = ''] = values;
  if (values.every((value) => value === first)) return first;
  return STAGES.map((stage, index) => `${stage}: ${values[index]}`).join('<br>');
}

function valueIn(stage: string, name: string): string {
  const settings: unknown = stageSettings(stage);
  const value = name.split('.').reduce((part, key) => (part as Record<string, unknown> | undefined)?.[key], settings);
  if (value === undefined) return '–';
  return typeof value === 'number' ? amount(value, name) : code(value);
}

function amount(value: number, name: string): string {
  const [factor, unit] = (name.endsWith('Bytes') && BYTES.find(([size]) => value >= size)) || [1, ''];
  return `${value / factor} ${unit}`.trim();
}

const code = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

if (import.meta.main) {
  const target = new URL('../generated/settings.md', import.meta.url);
  mkdirSync(new URL('./', target), { recursive: true });
  writeFileSync(target, settingsPage());
}
