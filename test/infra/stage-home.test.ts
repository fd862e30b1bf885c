import { expect, test } from 'vitest';
import { mismatch } from '../../infra/stage-home.ts';
import { stageSettings } from '../../infra/stages.ts';
import { orderStack } from '../helpers/template.ts';

const home = { account: '111122223333', region: 'eu-central-1' };
const away = { account: '444455556666', region: 'us-east-1' };
const anywhere = stageSettings('test');
const stage = { ...anywhere, ...home };

test('a stage is deployed to its account and region, or to those of the credentials', () => {
  expect(orderStack('test').environment).toBe('aws://unknown-account/unknown-region');
  expect(orderStack('test', () => stage).environment).toBe('aws://111122223333/eu-central-1');
});

test('credentials of another account and another region are refused, and what is not known is not compared', () => {
  for (const actual of [away, home, {}]) expect(mismatch(anywhere, actual)).toBeUndefined();
  for (const actual of [home, { account: undefined }]) expect(mismatch(stage, actual)).toBeUndefined();
  expect(mismatch(stage, away)).toBe(
    'The credentials are of account 444455556666, but stage test belongs to account 111122223333: ' +
      'sign in to that account, then repeat.',
  );
  expect(mismatch(stage, { ...home, region: away.region })).toBe(
    'The region is us-east-1, but stage test belongs to region eu-central-1: set AWS_REGION to it, then repeat.',
  );
});
