import { expect, test } from 'vitest';
import { provisionInert } from '../../cloudformation/inert-resources.ts';

const account = { accountId: '000000000000', region: 'eu-central-1' };

function provision(type: string, properties: Record<string, unknown>) {
  const declaration = { logicalId: 'Made', type, properties, stack: {} };
  return provisionInert(declaration as unknown as Parameters<typeof provisionInert>[0], account);
}

test('a dashboard is referred to by its name', () => {
  expect(provision('AWS::CloudWatch::Dashboard', { DashboardName: 'overview' })).toMatchObject({ ref: 'overview' });
});
