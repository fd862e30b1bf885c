import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { billOfMaterials } from '../../../scripts/write-sbom.ts';

const read = (file: string): unknown => JSON.parse(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8'));

test('npm run sbom lists every package that is deployed, with its licence, and none for development', () => {
  const { bomFormat, components, dependencies } = billOfMaterials();
  const { dependencies: direct, devDependencies = {} } = read('package.json') as Record<string, Record<string, string>>;
  const { packages } = read('package-lock.json') as { packages: Record<string, { dev?: boolean }> };
  const names = components.map(({ name }) => name);
  expect(bomFormat).toBe('CycloneDX');
  // Among them is jsonata, which a development package needs too.
  expect(names).toEqual(expect.arrayContaining(Object.keys(direct ?? {})));
  // A package of the console's server needs ajv, as tests do.
  const development = Object.keys(devDependencies).filter((name) => packages[`node_modules/${name}`]?.dev);
  expect(development).toContain('vitest');
  expect(names.filter((name) => development.includes(name))).toEqual([]);
  expect(components.filter(({ licenses = [] }) => licenses.length === 0)).toEqual([]);
  const references = new Set(components.map((component) => component['bom-ref']));
  const missing = dependencies.flatMap(({ dependsOn }) => dependsOn).filter((other) => !references.has(other));
  expect(missing).toEqual([]);
});
