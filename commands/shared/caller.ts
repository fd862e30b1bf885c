import { LONGEST_NAME } from '../../core/package/decision-limits.ts';
import type { Written } from '../../core/package/decision-schema.ts';
import { clientSettings, type PlaceOptions } from './place.ts';
import { Refusal } from './text.ts';

/** Milliseconds for the whole answer of STS. Networks without its endpoint often do not answer, and a person waits. */
const LONGEST_WAIT = 5_000;
/** Visible ASCII, as in every ARN. The stage would reject a name with anything else, after it was uploaded. */
const ARN = /^arn:[!-;=-~]+$/;

/**
 * Sets `decidedBy` of a decision to the user of the command if it is missing. A stage of an earlier release would reject a member that it
 * does not know.
 * @param members the members that a `decision.json` may have, from the stack; empty if unknown.
 * @throws Refusal when the stage does not know one of the members.
 */
export async function withDecider(
  written: Written,
  place: PlaceOptions,
  members: string,
  longestWait = LONGEST_WAIT,
): Promise<Written> {
  const names = members.split(' ');
  const others = Object.keys(written).filter((name) => !names.includes(name));
  if (others.length > 0) {
    throw new Refusal(
      `The release that is deployed does not know ${others.join(', ')} in decision.json: nothing was decided. Leave it out, or deploy this release.`,
    );
  }
  if (written.decidedBy !== undefined || !names.includes('decidedBy')) return written;
  const name = await callerOf(place, longestWait);
  // A long ARN loses its beginning, because its end is the name.
  return { ...written, decidedBy: name.length <= LONGEST_NAME ? name : `…${name.slice(1 - LONGEST_NAME)}` };
}

/** The ARN from STS, which needs no permission; without an answer, the access key, whose owner CloudTrail knows. */
async function callerOf(place: PlaceOptions, longestWait: number): Promise<string> {
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const client = new STSClient(clientSettings(place));
  const ask = client.send(new GetCallerIdentityCommand({}), { abortSignal: AbortSignal.timeout(longestWait) });
  const { Arn = '' } = await ask.catch((): { Arn?: string } => ({}));
  client.destroy();
  return ARN.test(Arn) ? Arn : `access key ${(await client.config.credentials()).accessKeyId}`;
}
