import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SFNClient } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { VirtualClock } from '@business-loan-orders/embedded-aws';
import { startSimulator } from '@business-loan-orders/order-simulator';
import { openStage, simulatedService } from '../../../laptop/open-stage.ts';
import { certifyKey } from '../../helpers/signing-keys.ts';
import { EventWitness } from '../checks/event-witness.ts';
import { Witness } from '../checks/witness.ts';
import { AwsFaults, PEOPLES_KEY } from '../faults/aws-faults.ts';
import { callDown, failForADay, failForHours, isBadDay, losingEnds, throttling } from '../faults/bad-day.ts';
import { Interruptions } from '../faults/interruptions.ts';
import { deliveries, invocations } from '../faults/invocations.ts';
import { ServiceFaults } from '../faults/service-faults.ts';
import { Operator } from '../people/operator.ts';
import { Partner } from '../people/partner.ts';
import { Uploads } from '../people/uploads.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import { isRestoredDay, SLOW_SERVICE } from '../plan/plan.ts';
import { openOptions, type Profile, settingsOf, wrongClocks } from './profiles.ts';
import { orderAt } from './references.ts';
import { BEGINNING, Schedule } from './schedule.ts';
import type { SimulatedWorld } from './simulated-world.ts';
import { Tally } from './tally.ts';

export interface WorldOptions {
  /** A synthesized cloud assembly of stage `local`. */
  assemblyDirectory: string;
  /** Default: `default`. */
  profile?: Profile;
  /** How the clocks of the machines differ. */
  seed?: string;
  /** The clocks of the machines do not differ. */
  clocksAreRight?: boolean;
}

export interface OpenWorld extends SimulatedWorld {
  partner: Partner;
  operator: Operator;
  stepFunctions: SFNClient;
  /** The certificate of the KMS key, DER. */
  kmsCertificate: Buffer;
  close(): Promise<void>;
}

/** Opens the embedded AWS with the stack, the order service, the people and all faults, with one virtual clock. */
export async function openSimulatedWorld(
  plans: ReadonlyMap<string, OrderPlan>,
  { assemblyDirectory, profile = 'default', seed, clocksAreRight = false }: WorldOptions,
): Promise<OpenWorld> {
  const clock = new VirtualClock(BEGINNING);
  const settings = { ...settingsOf[profile], ...(isRestoredDay(plans) && SLOW_SERVICE) };
  const simulator = await startSimulator({ now: () => clock.now(), settings });
  // What is not there yet exists before any function runs.
  const world = {
    plans,
    clock,
    simulator,
    schedule: new Schedule(clock),
    witness: new Witness((orderRef) => orderAt(simulator, orderRef)),
    eventWitness: new EventWitness(),
    tokens: new Map(),
    injected: new Tally(),
    operated: new Tally(),
  } as unknown as SimulatedWorld;
  const [partner, operator] = [new Partner(world), new Operator(world)];
  const interruptions = new Interruptions(world);
  const faults = new AwsFaults(world, partner, interruptions);
  const wrapper = invocations(world, interruptions);
  const hasBadDay = isBadDay(plans);
  const stage = await openStage(simulatedService(simulator), {
    ...openOptions(profile, simulator, clocksAreRight),
    assemblyDirectory,
    clock,
    key: PEOPLES_KEY,
    ...(!clocksAreRight && { clockSkew: wrongClocks(world.injected, seed) }),
    requestWrapper: faults.wrapper,
    entryRefusal: faults.entryRefusal,
    invokeWrapper: hasBadDay ? throttling(world, wrapper) : wrapper,
    deliveryWrapper: hasBadDay ? losingEnds(world) : deliveries(world),
  });
  const { aws, outputs, s3 } = stage;
  interruptions.onPause = (orderRef, acts) => world.schedule.later(0.5, () => operator.act(orderRef, acts));
  world.witness.onFailure = (orderRef) => operator.onEnd(orderRef);
  aws.watch(world.witness.onChange);
  aws.watch(world.eventWitness.onChange);
  const putCredentials = () => stage.putCredentials(simulatedService(simulator).credentials);
  const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(stage.client));
  Object.assign(world, { ...stage, dynamodb, uploads: new Uploads(s3, outputs.IntakeBucket), putCredentials });
  const kmsCertificate = await certifyKey(stage, stage.outputs.SigningKey);
  new ServiceFaults(world, partner, interruptions);
  if (hasBadDay) failForHours(world);
  const down = callDown(plans);
  if (down) failForADay(world, down);
  const close = async () => {
    await aws.close();
    await simulator.close();
  };
  return { ...world, partner, operator, stepFunctions: stage.stepFunctions, kmsCertificate, close };
}
