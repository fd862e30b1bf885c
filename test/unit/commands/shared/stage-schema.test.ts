import { afterEach, expect, test, vi } from 'vitest';
import { packagesOf } from '../../../../commands/shared/stack-outputs.ts';
import { deployedSettings } from '../../../../infra/deployed-settings.ts';
import { stageSettings } from '../../../../infra/stages.ts';
import { stagesWith } from '../../../helpers/stage-files.ts';

afterEach(() => void vi.unstubAllEnvs());

test('a package is checked by the schema in the file of the stage, which the output of its stack leaves out', async () => {
  const { name: _name, ...settings } = stageSettings('test');
  const schema = { type: 'object', required: ['borrower'] };
  const folder = stagesWith({ 'retail.json': { ...settings, orderSchema: 'order.json' }, 'order.json': schema });
  const { packages, ...deployed } = deployedSettings(stageSettings('retail', folder));
  expect(packages).not.toHaveProperty('orderSchema');
  const orderSchemaHere = async () => (await packagesOf({ stage: 'retail' }, { packages, ...deployed })).orderSchema;
  vi.stubEnv('LOAN_ORDERS_STAGES', folder);
  expect(await orderSchemaHere()).toEqual(schema);
  vi.stubEnv('LOAN_ORDERS_STAGES', stagesWith({}));
  expect(await orderSchemaHere()).toBeUndefined();
});
