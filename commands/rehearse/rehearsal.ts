import { operatorStackName, ordersStackName, simulatorStackName } from '../../infra/names.ts';
import { REHEARSAL_STAGE } from '../../infra/stage-folder.ts';
import type { Finding } from '../doctor/finding.ts';
import { runningRehearsal } from '../shared/laptops.ts';
import type { PlaceOptions } from '../shared/place.ts';
import { homeOf } from '../shared/stack-outputs.ts';
import { Refusal } from '../shared/text.ts';

export interface Rehearsal {
  /** With `local`, the embedded AWS of this machine. `deploy` needs no endpoint: it starts one. */
  place: PlaceOptions;
  say(line: string): void;
}

/** A step of the rehearsal. It can be repeated. Throws a Refusal if the next step would be useless. */
export type RehearsalStep = (rehearsal: Rehearsal) => Promise<Finding[]>;

/** The names of the stacks, dependencies first. */
export async function stacksOf(place: PlaceOptions): Promise<string[]> {
  const home = await homeOf(place);
  return [simulatorStackName, ordersStackName, operatorStackName].map((nameOf) => nameOf(home));
}

/** Where the steps after the deployment take place. Throws a Refusal if nothing is deployed on this machine. */
export async function deployedPlace({ local, endpoint }: PlaceOptions): Promise<PlaceOptions> {
  if (!local) return { stage: REHEARSAL_STAGE };
  const address = endpoint ?? (await runningRehearsal())?.endpoint;
  if (address !== undefined) return { stage: REHEARSAL_STAGE, local, endpoint: address };
  throw new Refusal('No rehearsal is deployed on this machine: begin with "loan-orders --local rehearse deploy".');
}
