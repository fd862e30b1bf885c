import { mkdirSync, writeFileSync } from 'node:fs';
import { allSettings, type Schema, type Setting, schemaOf, unitOf } from '../infra/all-settings.ts';
import { stageSchema } from '../infra/stages.ts';

const BYTES: [number, string][] = [
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
];

/** Markdown tables of all settings: first those without a group, then a table for each group. */
export function settingsPage(): string {
  const settings = allSettings(schemaOf(stageSchema));
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
    const cells = [`\`${name}\``, valuesOf(schema, name), defaultOf(schema, name), schema.description ?? ''];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  });
  return ['| Setting | Values | Default | Meaning |\n| --- | --- | --- | --- |\n', ...rows].join('');
}

function valuesOf(schema: Schema, name: string): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => valuesOf(one, name)).join(', ');
  if (schema.enum !== undefined) return schema.enum.map((one) => code(one)).join(', ');
  if (schema.const !== undefined) return code(schema.const);
  if (schema.type === 'null') return '`null`';
  if (schema.type === 'boolean') return '`true`, `false`';
  if (schema.type === 'integer' || schema.type === 'number') return rangeOf(schema, name);
  if (schema.type === 'array')
    return `${schema.minItems ?? 0} to ${schema.maxItems} ${schema.items?.type === 'integer' ? 'numbers' : 'texts'}`;
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

function defaultOf({ default: value }: Schema, name: string): string {
  if (value === undefined) return '–';
  return typeof value === 'number' ? amount(value, name) : code(value);
}

function amount(value: number, name: string): string {
  const [factor, unit] = (name.endsWith('Bytes') && BYTES.find(([size]) => value >= size)) || [1, ''];
  return `${value / factor} ${unit}`.trim();
}

const code = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

/** The JSON Schema of stage files, for completion and help in editors. */
export function stageJsonSchema(): object {
  const schema = schemaOf(stageSchema);
  for (const { name, schema: one, isGroup } of allSettings(schema)) {
    if (isGroup && JSON.stringify(one.default) === '{}') delete one.default;
    if (unitOf(name)) one.description += ` Unit: ${unitOf(name)}.`;
  }
  schema.properties = { $schema: { type: 'string', description: 'The address of this schema.' }, ...schema.properties };
  return { title: 'A stage of business-loan orders', ...schema };
}

if (import.meta.main) {
  const folder = new URL('../generated/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('settings.md', folder), settingsPage());
  writeFileSync(new URL('stage.schema.json', folder), `${JSON.stringify(stageJsonSchema(), undefined, 2)}\n`);
}
