import { arn } from '../account.ts';
import { checkedProperties, physicalName } from './properties.ts';
import type { Provisioning } from './provisioning.ts';
import type { ProvisionedResource, ResourceDeclaration } from './stack.ts';

/** Creates a signing key. An encryption key is only a name and an ARN, because nothing is encrypted on a laptop. */
export function provisionKey(
  declaration: ResourceDeclaration,
  { account, services }: Provisioning,
): ProvisionedResource {
  const properties = checkedProperties(
    declaration,
    ['KeySpec', 'KeyUsage'],
    [
      'Description',
      'Enabled',
      'EnableKeyRotation',
      'KeyPolicy',
      'MultiRegion',
      'Origin',
      'PendingWindowInDays',
      'RotationPeriodInDays',
      'Tags',
    ],
  );
  const keyId = physicalName(declaration, undefined);
  if (properties.KeyUsage === 'SIGN_VERIFY') services.kms.create(String(properties.KeySpec), keyId);
  return { ref: keyId, attributes: { Arn: arn(account, 'kms', `key/${keyId}`), KeyId: keyId } };
}
