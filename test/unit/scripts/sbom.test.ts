import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { billOfMaterials } from '../../../scripts/write-sbom.ts';

const read = (file: string): unknown => JSON.parse(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8'));

test('npm run sbom lists every package that is deployed, with its licence, and none for development', () => {
  const { bomFormat, components, dependencies } = billOfMaterials();
  const { dependencies: direct, devDependencies = {} } = read('package.json') as Record<string, Record<string, string>>;
  const published = Object.keys(direct ?? {}).filter((name) => !name.startsWith('@business-loan-orders/'));
  const names = components.map(({ name }) => name);
  expect(bomFormat).toBe('CycloneDX');
  // Among them is jsonata, which a development package needs too.
  expect(names).toEqual(expect.arrayContaining(published));
  // Packages of what is deployed need these, as tests do.
  const shared = ['ajv', 'ajv-formats'];
  const development = Object.keys(devDependencies).filter((name) => !shared.includes(name));
  expect(names.filter((name) => ['dynalite', 'pdfkit', ...development].includes(name))).toEqual([]);
  expect(components.filter(({ licenses = [] }) => licenses.length === 0)).toEqual([]);
  const references = new Set(components.map((component) => component['bom-ref']));
  const missing = dependencies.flatMap(({ dependsOn }) => dependsOn).filter((other) => !references.has(other));
  expect(missing).toEqual([]);
});
