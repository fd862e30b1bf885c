import { afterEach, expect, test, vi } from 'vitest';
import { settingsOf } from '../../../../commands/stage/stack-outputs.ts';
import { knownStage } from '../../../../infra/stages.ts';
import { stagesWith } from '../../../helpers/stage-files.ts';

const orderService = { baseUrl: 'https://orders.bank.ru', authorizationUrl: 'https://login.bank.ru' };

/** The outputs of the stack of a release that said nothing of settings. */
const older = (name: string, otherwise?: string) => {
  if (otherwise !== undefined) return otherwise;
  throw new Error(`There is no output ${name}.`);
};

afterEach(() => vi.unstubAllEnvs());

test('what the stack of an older release does not say, the file of the stage says', async () => {
  vi.stubEnv('LOAN_ORDERS_STAGES', stagesWith({ 'prod.json': { orderService, sweep: { everyMinutes: 7 } } }));
  expect((await settingsOf({ stage: 'prod' }, older))()).toMatchObject({ sweep: { everyMinutes: 7 } });
  expect(await settingsOf({ stage: 'elsewhere' }, older)).toThrow('There is no output Settings.');
});

test('a folder without a file for rehearsals has the one of the project', () => {
  vi.stubEnv('LOAN_ORDERS_STAGES', stagesWith({ 'prod.json': { orderService } }));
  expect(knownStage('rehearsal')).toMatchObject({ name: 'rehearsal', keepData: false });
  expect(knownStage('other')).toBeUndefined();
});
