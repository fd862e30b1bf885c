import { clientDefaults } from '../../core/aws/aws-client.ts';

/** Options that every command takes. */
export interface PlaceOptions {
  stage: string;
  local?: true;
  endpoint?: string;
  /** The prefix of names that the stage has on the laptop. */
  namePrefix?: string;
}

export const LAPTOP_ENDPOINT = 'http://127.0.0.1:4566';

/** What the SDK and the AWS CLI need to call the laptop's AWS. */
export const LAPTOP_REGION = 'us-east-1';
export const LAPTOP_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/**
 * Settings of every SDK client. On AWS, region and credentials come from the SDK's usual environment. On the laptop, AWS may run
 * on virtual time: with clock skew correction, the SDK would take that for a wrong clock and repeat every failed call.
 */
export function clientSettings({ local, endpoint = LAPTOP_ENDPOINT }: PlaceOptions) {
  const where = { endpoint, region: LAPTOP_REGION, credentials: LAPTOP_CREDENTIALS };
  const { requestHandler } = clientDefaults;
  return { requestHandler, ...(local && { ...where, disableClockSkewCorrection: true }) };
}

/** Settings of a client for SQS, which would call the host of a queue's URL even if the environment names another endpoint. */
export function queueClientSettings(options: PlaceOptions) {
  return { ...clientSettings(options), useQueueUrlAsEndpoint: false };
}

/** How {@link place} begins for the laptop. */
export const LAPTOP = "the laptop's AWS";

/** Names the AWS that the commands call. */
export function place({ local, endpoint = LAPTOP_ENDPOINT }: PlaceOptions): string {
  if (local) return `${LAPTOP} at ${endpoint}`;
  return process.env.AWS_ENDPOINT_URL ? `AWS at ${process.env.AWS_ENDPOINT_URL}` : 'AWS';
}
