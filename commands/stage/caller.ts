import { LONGEST_NAME } from '../../core/offers/decision-limit.ts';
import { clientSettings, type PlaceOptions } from './place.ts';

/** Milliseconds for the whole answer of STS. Networks without its endpoint often answer nothing at all, and a person waits. */
const LONGEST_WAIT = 5_000;
/** Visible ASCII, as in every ARN. The stage would reject a name with anything else, after it was uploaded. */
const ARN = /^arn:[!-;=-~]+$/;

/**
 * Whoever runs the command, as a decision names them. Undefined if the stage would reject such a decision, because it is of an earlier
 * release.
 * @param members what a `decision.json` may hold, as the stack says; empty if it does not say.
 */
export async function deciderOf(
  place: PlaceOptions,
  members: string,
  longestWait = LONGEST_WAIT,
): Promise<string | undefined> {
  if (!members.split(' ').includes('decidedBy')) return undefined;
  const name = await callerOf(place, longestWait);
  // An ARN with a long path is cut in front: its end is the name.
  return name.length <= LONGEST_NAME ? name : `…${name.slice(1 - LONGEST_NAME)}`;
}

/**
 * Who runs the command: the ARN that STS gives for the credentials, which needs no right. If STS does not answer, the access key:
 * CloudTrail knows whose key it is.
 */
async function callerOf(place: PlaceOptions, longestWait: number): Promise<string> {
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const client = new STSClient(clientSettings(place));
  const ask = client.send(new GetCallerIdentityCommand({}), { abortSignal: AbortSignal.timeout(longestWait) });
  const { Arn = '' } = await ask.catch((): { Arn?: string } => ({}));
  client.destroy();
  return ARN.test(Arn) ? Arn : `access key ${(await client.config.credentials()).accessKeyId}`;
}
