import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { licenceProblems } from '../../../scripts/check-licences.ts';

const lock = JSON.parse(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Parameters<typeof licenceProblems>[0];
};

const withPackage = (locked: object, path = 'node_modules/@scope/extra') =>
  licenceProblems({ ...lock.packages, [path]: { version: '1.0.0', ...locked } });

test.each(['MIT', '(MIT OR GPL-3.0-or-later)', 'MIT AND ISC'])('the licence %s is allowed', (license) => {
  expect(withPackage({ license })).toEqual([]);
});

test.each(['GPL-3.0-only', 'MIT AND GPL-3.0-only', 'SEE LICENSE IN LICENSE', 'MPL-2.0', ''])(
  'the licence "%s" is not allowed',
  (license) => {
    const problem = `@scope/extra 1.0.0 has the licence ${license}, which is not allowed.`;
    expect(withPackage({ license })).toEqual([problem]);
  },
);

test('a package without a licence is named, wherever it is installed', () => {
  expect(withPackage({}, 'node_modules/a/node_modules/b')).toEqual([
    'b 1.0.0 has the licence (none), which is not allowed.',
  ]);
});

test('a deprecated package is named with what its authors say', () => {
  expect(withPackage({ license: 'MIT', deprecated: 'Use another one.' })).toEqual([
    '@scope/extra 1.0.0 is deprecated: Use another one.',
  ]);
});

test('a development package may have another licence, a deployed one may not', () => {
  const path = 'node_modules/a/node_modules/lightningcss';
  expect(withPackage({ license: 'MPL-2.0', dev: true }, path)).toEqual([]);
  expect(withPackage({ license: 'MPL-2.0' }, path)).toEqual([
    'lightningcss 1.0.0 has the licence MPL-2.0, which is not allowed.',
  ]);
});
