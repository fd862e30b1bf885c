import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { World } from './world.ts';

/** The environment of a function, for a test that runs its modules in the own process. */
export function functionEnvironment({ aws, outputs, simulator }: World, name: string): Record<string, string> {
  const template = readFileSync(join(inject('assemblyDirectory'), 'LoanOrders-local.template.json'), 'utf8');
  const resources: { Properties?: { FunctionName?: string; Environment?: { Variables: Record<string, never> } } }[] =
    Object.values(JSON.parse(template).Resources);
  const found = resources.find(({ Properties }) => Properties?.FunctionName === `loan-orders-local-${name}`);
  // They are beside its bundle.
  const { REVOCATION_FILE: _one, LABELS_FILE: _other, ...variables } = found?.Properties?.Environment?.Variables ?? {};
  return {
    ...variables,
    ...aws.environment,
    ORDER_TABLE: outputs.OrderTable ?? '',
    INTAKE_BUCKET: outputs.IntakeBucket ?? '',
    STAGING_BUCKET: outputs.StagingBucket ?? '',
    CREDENTIALS_SECRET: outputs.CredentialsSecret ?? '',
    ORDER_SERVICE_URL: simulator.url,
    TOKEN_URL: `${simulator.authorizationUrl}/oauth2/token`,
  };
}
