import { Annotations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Warns at synth as long as a service has a placeholder address (`.example`). */
export function warnOfPlaceholders(
  scope: Construct,
  stage: string,
  setting: string,
  { baseUrl, authorizationUrl }: { baseUrl: string; authorizationUrl: string },
): void {
  // An address that is only known at deployment is not checked.
  if (![baseUrl, authorizationUrl].some((address) => URL.parse(address)?.hostname.endsWith('.example'))) return;
  Annotations.of(scope).addWarningV2(
    'loan-orders:placeholder-address',
    `Stage ${stage} has a placeholder address. Set ${setting} before you deploy.`,
  );
}
