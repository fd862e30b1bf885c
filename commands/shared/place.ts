import { SDK_CALL } from '../../core/timeouts.ts';

export interface PlaceOptions {
  stage: string;
  local?: true;
  endpoint?: string;
  /** The prefix of names that the stage has on the laptop. */
  namePrefix?: string;
}

/** The port of the embedded AWS, if it is free. */
export const LAPTOP_PORT = 4566;
export const LAPTOP_ENDPOINT = `http://127.0.0.1:${LAPTOP_PORT}`;

/**
 * Settings of every SDK client. On AWS, region and credentials come from the SDK's usual environment. On the laptop, AWS may run
 * on virtual time: with clock skew correction, the SDK would take that for a wrong clock and repeat every failed call.
 */
export function clientSettings({ local, endpoint = LAPTOP_ENDPOINT }: PlaceOptions) {
  const where = { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
  return { requestHandler: SDK_CALL, ...(local && { ...where, disableClockSkewCorrection: true }) };
}

/** Settings of a client for SQS, which would call the host of a queue's URL even if the environment names another endpoint. */
export function queueClientSettings(options: PlaceOptions) {
  return { ...clientSettings(options), useQueueUrlAsEndpoint: false };
}

/** The options, as typed, that select the same AWS and stage for a command. */
export function optionsOf({ stage, local, endpoint }: Partial<PlaceOptions>): string[] {
  return [
    ...(stage === undefined ? [] : ['--stage', stage]),
    ...(local && endpoint === undefined ? ['--local'] : []),
    ...(endpoint === undefined ? [] : ['--endpoint', endpoint]),
  ];
}

/** Adds these options to each command in a text but `local`, because texts name commands without them. */
export function inPlace(text: string, options: readonly string[]): string {
  return text.replaceAll(/(?<![\w-])loan-orders (?=(?!local\b)[a-z])/g, ['loan-orders', ...options, ''].join(' '));
}

/** The prefix of {@link place} for the laptop. */
export const LAPTOP = "the laptop's AWS";

export function place({ local, endpoint = LAPTOP_ENDPOINT }: PlaceOptions): string {
  if (local) return `${LAPTOP} at ${endpoint}`;
  return process.env.AWS_ENDPOINT_URL ? `AWS at ${process.env.AWS_ENDPOINT_URL}` : 'AWS';
}
