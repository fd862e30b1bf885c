import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expectedOutputs } from '../../commands/doctor/stack-checks.ts';
import { deployedSettings } from '../../infra/deployed-settings.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';
import { orderTemplate } from '../helpers/template.ts';
import { creating, given, keyless } from '../helpers/variants.ts';

const outputsOf = (change: (stage: Stage) => Stage): string[] =>
  Object.keys(orderTemplate('prod', change).toJSON().Outputs).sort();

test.each([
  ['as the settings are', (stage: Stage) => stage],
  ['with a given topic', keyless],
  ['with everything given', given],
  ['with everything', creating],
])('doctor looks for every output of a stack %s, and for no other', (_which, change) => {
  expect(expectedOutputs(deployedSettings(change(stageSettings('prod')))).sort()).toEqual(outputsOf(change));
});

test('what the commands must know of the settings is shorter than a parameter of CloudFormation may be, for any signers', () => {
  const signers = [...Array(50)].map((_, at) => `7707083893${at}`);
  const settings = deployedSettings(creating(stageSettings('prod')));
  const longest = JSON.stringify({ ...settings, signatures: { ...settings.signatures, signers } });
  expect(longest.length).toBeLessThan(4_096);
});

test('docs/deployment.md lists every output of a stack that has everything, and no other', () => {
  const page = readFileSync(new URL('../../docs/deployment.md', import.meta.url), 'utf8');
  const table = page.split('## Outputs')[1]?.split('\n## ')[0] ?? '';
  const listed = [...table.matchAll(/^\| ([^|]+) \|/gm)].flatMap(
    ([, names = '']) => names.match(/(?<=`)\w+(?=`)/g) ?? [],
  );
  expect(listed.sort()).toEqual(outputsOf(creating));
});
