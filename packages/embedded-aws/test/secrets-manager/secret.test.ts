import { DescribeSecretCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { expect, test } from 'vitest';
import { VirtualClock } from '../../index.ts';
import { startHandmade } from '../cloudformation/handmade-assembly.ts';

test('DescribeSecret says when the secret was changed last: when it was created, then when it got its value', async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const Resources = { Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { Name: 'secret' } } };
  const { config } = await startHandmade({ Stack: { Resources } }, {}, { clock });
  const secrets = new SecretsManagerClient(config);
  const describe = () => secrets.send(new DescribeSecretCommand({ SecretId: 'secret' }));
  const created = new Date('2026-01-01T00:00:00Z');
  expect(await describe()).toMatchObject({ CreatedDate: created, LastChangedDate: created });
  clock.advanceTo(Date.UTC(2026, 0, 2));
  await secrets.send(new PutSecretValueCommand({ SecretId: 'secret', SecretString: 'value' }));
  expect(await describe()).toMatchObject({ CreatedDate: created, LastChangedDate: new Date('2026-01-02T00:00:00Z') });
});
