import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { createApp } from '../../infra/app.ts';

test('the app refuses a context with one sentence and the status 1', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/app.ts'], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    env: { ...process.env, CDK_CONTEXT_JSON: JSON.stringify({ stage: 'production' }) },
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: 'Stage production is unknown: stages has no file of it. Stages there: local, prod, rehearsal, test.\n',
  });
});

test.each([
  [{ stage: 123 }, /^Stage "123" cannot have this name: [^\n]+$/],
  [{ stage: 'prod', stages: 5 }, /^The folder of stages 5 cannot be read \(ENOENT\): [^\n]+$/],
])('the context %j is refused with one sentence', (context, sentence) => {
  expect(() => createApp({ context })).toThrow(sentence);
});

test('cdk.json decides every feature flag of this version of the CDK, so that a synth lists none', () => {
  const path = fileURLToPath(import.meta.resolve('aws-cdk-lib/recommended-feature-flags.json'));
  const flags = Object.keys(JSON.parse(readFileSync(path, 'utf8')));
  expect(flags.filter((flag) => !(flag in cdk.context))).toEqual([]);
});
