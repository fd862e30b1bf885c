import { clientDefaults } from '../../functions/shared/aws/aws-client.ts';

/** Options that every command takes. */
export interface PlaceOptions {
  stage: string;
  local?: true;
  endpoint?: string;
}

export const LAPTOP_ENDPOINT = 'http://127.0.0.1:4566';

/** What the SDK or the AWS CLI needs to talk to the laptop's AWS. */
export const LAPTOP_REGION = 'us-east-1';
export const LAPTOP_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/**
 * Settings of every SDK client. On AWS the SDK's usual environment says where and as whom. The document client keeps no middleware. The
 * laptop's AWS may live in a time of its own: the SDK would take that for a wrong clock, and repeat whatever is answered with an error.
 */
export function clientSettings({ local, endpoint = LAPTOP_ENDPOINT }: PlaceOptions) {
  const where = { endpoint, region: LAPTOP_REGION, credentials: LAPTOP_CREDENTIALS };
  return { ...clientDefaults, cacheMiddleware: false, ...(local && { ...where, disableClockSkewCorrection: true }) };
}

/** Where the commands work, in words. */
export function place({ local, endpoint = LAPTOP_ENDPOINT }: PlaceOptions): string {
  if (local) return `the laptop's AWS at ${endpoint}`;
  return process.env.AWS_ENDPOINT_URL ? `AWS at ${process.env.AWS_ENDPOINT_URL}` : 'AWS';
}
