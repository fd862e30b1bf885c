import { LONGEST_NAME } from '../../core/fixed-limits.ts';
import type { Written } from '../../core/package/decision-schema.ts';
import { Refusal } from '../refusal.ts';
import { clientSettings, type PlaceOptions } from './place.ts';

/** Milliseconds for the whole answer of STS. Networks without its endpoint often answer nothing at all, and a person waits. */
const LONGEST_WAIT = 5_000;
/** Visible ASCII, as in every ARN. The stage would reject a name with anything else, after it was uploaded. */
const ARN = /^arn:[!-;=-~]+$/;

/**
 * What a decision says beside its choices, with whoever runs the command as the one who decided, if nobody is named. The stage may be of
 * an earlier release, which would reject a member that it does not know.
 * @param members what a `decision.json` may hold, as the stack says; empty if it does not say.
 * @throws Refusal when the stage does not know what is written.
 */
export async function withDecider(
  written: Written,
  place: PlaceOptions,
  members: string,
  longestWait = LONGEST_WAIT,
): Promise<Written> {
  const known = members.split(' ');
  const unknown = Object.keys(written).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Refusal(
      `The release that is deployed does not know ${unknown.join(', ')} in decision.json: nothing was decided. Leave it out, or deploy this release.`,
    );
  }
  if (written.decidedBy !== undefined || !known.includes('decidedBy')) return written;
  const name = await callerOf(place, longestWait);
  // An ARN with a long path is cut in front: its end is the name.
  return { ...written, decidedBy: name.length <= LONGEST_NAME ? name : `…${name.slice(1 - LONGEST_NAME)}` };
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
