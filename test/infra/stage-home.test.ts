import { expect, test } from 'vitest';
import { environmentOf, mismatch } from '../../infra/stage-home.ts';
import { stageSettings } from '../../infra/stages.ts';
import { orderStack } from '../helpers/template.ts';

const home = { account: '111122223333', region: 'eu-central-1' };
const stage = { ...stageSettings('test'), ...home };

test('a stage without account and region is deployed wherever the credentials are', () => {
  expect(environmentOf(stageSettings('test'))).toEqual({});
  expect(orderStack('test').environment).toBe('aws://unknown-account/unknown-region');
  expect(mismatch(stageSettings('test'), { account: '444455556666', region: 'us-east-1' })).toBeUndefined();
});

test('a stage with account and region is deployed there and nowhere else', () => {
  expect(environmentOf(stage)).toEqual({ env: home });
  expect(orderStack('test', () => stage).environment).toBe('aws://111122223333/eu-central-1');
});

test('credentials of another account are refused with one sentence', () => {
  expect(mismatch(stage, home)).toBeUndefined();
  expect(mismatch(stage, { account: '444455556666' })).toBe(
    'The credentials are of account 444455556666, but stage test belongs to account 111122223333 (infra/stages.ts): ' +
      'sign in to that account, then repeat.',
  );
});

test('another region is refused with one sentence', () => {
  expect(mismatch(stage, { ...home, region: 'us-east-1' })).toBe(
    'The region is us-east-1, but stage test belongs to region eu-central-1 (infra/stages.ts): set AWS_REGION to it, then repeat.',
  );
});

test('without credentials there is nothing to compare, so a synth needs none', () => {
  expect(mismatch(stage, { account: undefined })).toBeUndefined();
});
