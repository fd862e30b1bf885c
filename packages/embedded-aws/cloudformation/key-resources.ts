import { arn } from '../account.ts';
import { checkedProperties, objectProperty, physicalName } from './properties.ts';
import type { Provisioning } from './provisioning.ts';
import type { ProvisionedResource, ResourceDeclaration } from './stack.ts';

/** Creates a signing key. An encryption key is only a name and an ARN, because nothing is encrypted on a laptop. */
export function provisionKey(
  declaration: ResourceDeclaration,
  { account, services }: Provisioning,
): ProvisionedResource {
  const properties = checkedProperties(
    declaration,
    ['KeySpec', 'KeyUsage', 'KeyPolicy'],
    [
      'Description',
      'Enabled',
      'EnableKeyRotation',
      'MultiRegion',
      'Origin',
      'PendingWindowInDays',
      'RotationPeriodInDays',
      'Tags',
    ],
  );
  const keyId = physicalName(declaration, undefined);
  if (properties.KeyUsage === 'SIGN_VERIFY') services.kms.create(String(properties.KeySpec), keyId);
  const keyArn = arn(account, 'kms', `key/${keyId}`);
  services.encryptionKeys.setPolicy(keyArn, objectProperty(properties, 'KeyPolicy'));
  return { ref: keyId, attributes: { Arn: keyArn, KeyId: keyId } };
}
