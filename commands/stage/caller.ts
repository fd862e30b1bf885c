import { addAbortSignal, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { HttpRequest } from '@smithy/core/protocols';
import { LONGEST_NAME } from '../../functions/shared/offers/decision-limit.ts';
import { LAPTOP_ENDPOINT, type PlaceOptions } from './place.ts';

/** The part of an SDK client that signs and sends. */
export type SigningClient = {
  config: Pick<DynamoDBClient['config'], 'credentials' | 'region' | 'requestHandler' | 'signer'>;
};

const QUESTION = 'Action=GetCallerIdentity&Version=2011-06-15';

/** Milliseconds for the whole answer of STS. Networks without its endpoint often answer nothing at all, and a person waits. */
const LONGEST_WAIT = 5_000;
/** Visible ASCII, as in every ARN. The stage would reject a name with anything else, after it was uploaded. */
const ARN = /<Arn>(arn:[!-;=-~]+)<\/Arn>/;

/**
 * Whoever runs the command, as a decision names them. Undefined if the stage would reject such a decision, because it is of an earlier
 * release.
 * @param members what a `decision.json` may hold, as the stack says; empty if it does not say.
 */
export async function deciderOf(
  client: SigningClient,
  place: PlaceOptions,
  members: string,
  longestWait = LONGEST_WAIT,
): Promise<string | undefined> {
  if (!members.split(' ').includes('decidedBy')) return undefined;
  const name = await callerOf(client, place, longestWait);
  // An ARN with a long path is cut in front: its end is the name.
  return name.length <= LONGEST_NAME ? name : `…${name.slice(1 - LONGEST_NAME)}`;
}

/**
 * Who runs the command: the ARN that STS gives for the credentials, which needs no right. If STS does not answer, the access key:
 * CloudTrail knows whose key it is.
 */
async function callerOf(client: SigningClient, place: PlaceOptions, longestWait: number): Promise<string> {
  const arn = await callerArn(client, place, AbortSignal.timeout(longestWait)).catch(() => undefined);
  return arn ?? `access key ${(await client.config.credentials()).accessKeyId}`;
}

/** One call is not worth the client of STS: it would add a tenth to the built command line. */
async function callerArn(
  { config }: SigningClient,
  place: PlaceOptions,
  abortSignal: AbortSignal,
): Promise<string | undefined> {
  const signingRegion = await config.region();
  const { protocol, hostname, port, host } = new URL(endpointOf(place, signingRegion));
  const request = new HttpRequest({
    method: 'POST',
    protocol,
    hostname,
    ...(port !== '' && { port: Number(port) }),
    path: '/',
    headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
    body: QUESTION,
  });
  const signer = await config.signer({ name: 'sigv4', signingName: 'sts', signingRegion, properties: {} });
  const signed = (await signer.sign(request)) as HttpRequest;
  const { response } = await config.requestHandler.handle(signed, { abortSignal });
  const answer = await text(addAbortSignal(abortSignal, response.body as Readable));
  return response.statusCode === 200 ? ARN.exec(answer)?.[1] : undefined;
}

function endpointOf({ local, endpoint = LAPTOP_ENDPOINT }: PlaceOptions, region: string): string {
  if (local) return endpoint;
  const { AWS_ENDPOINT_URL_STS: ofSts, AWS_ENDPOINT_URL: ofAll } = process.env;
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return ofSts ?? ofAll ?? `https://sts.${region}.${suffix}`;
}
