import { S3Client } from '@aws-sdk/client-s3';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { type LocalAws, VirtualClock } from '../../../packages/embedded-aws/index.ts';
import type { Simulator } from '../../../packages/order-simulator/index.ts';
import { EventWitness } from '../checks/event-witness.ts';
import { Witness } from '../checks/witness.ts';
import { AwsFaults } from '../faults/aws-faults.ts';
import { BadDay, isBadDay } from '../faults/bad-day.ts';
import { Clocks } from '../faults/clocks.ts';
import { Deliveries } from '../faults/deliveries.ts';
import { Interruptions } from '../faults/interruptions.ts';
import { Invocations } from '../faults/invocations.ts';
import { ServiceFaults } from '../faults/service-faults.ts';
import { Operator } from '../people/operator.ts';
import { Partner } from '../people/partner.ts';
import { PEOPLES_KEY } from '../people/peoples-key.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import { certifySigningKey } from './certify-signing-key.ts';
import { openAws, openSimulator } from './open-service.ts';
import { type Profile, secretOf } from './profiles.ts';
import { References } from './references.ts';
import { Schedule } from './schedule.ts';
import { Tally } from './tally.ts';

/** Everything that a batch of orders runs in. */
export interface SimulatedWorld {
  plans: ReadonlyMap<string, OrderPlan>;
  clock: VirtualClock;
  schedule: Schedule;
  simulator: Simulator;
  references: References;
  aws: LocalAws;
  partner: Partner;
  operator: Operator;
  witness: Witness;
  eventWitness: EventWitness;
  /** The certificate of the KMS key, DER. */
  kmsCertificate: Buffer;
  injected: Tally;
  calls: Tally;
  operated: Tally;
  close(): Promise<void>;
}

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

/** Opens the embedded AWS with the stack, the order service, the people and all faults, with one virtual clock. */
export async function openSimulatedWorld(
  plans: ReadonlyMap<string, OrderPlan>,
  { assemblyDirectory, profile = 'default', seed, clocksAreRight }: WorldOptions,
): Promise<SimulatedWorld> {
  const beginning = Date.UTC(2026, 0, 1);
  const clock = new VirtualClock(beginning);
  const schedule = new Schedule(clock);
  const [injected, operated, calls] = [new Tally(), new Tally(), new Tally()];
  // The embedded AWS exists before any function runs in it.
  const running: { aws?: LocalAws } = {};
  const standStill = async (wait: Promise<void>) => running.aws?.standStill(wait);
  const interruptions = new Interruptions({
    plans,
    injected,
    now: () => (clock.now() - beginning) / 1000,
    later: (seconds) => new Promise((resolve) => clock.setTimeout(resolve, seconds * 1000)),
    standStill,
  });
  const simulator = await openSimulator(clock, profile);
  const [witness, eventWitness] = [new Witness(), new EventWitness()];
  const references = new References(simulator);
  const people: { partner?: Partner; operator?: Operator } = {};
  const tokens = new Map<string, string>();
  const faults = new AwsFaults({
    tokens,
    plans,
    interruptions,
    injected,
    calls,
    revokeTokens: () => simulator.revokeAllTokens(),
    onRequest: (orderRef, request) => people.partner?.onRequest(orderRef, request),
  });
  const invocations = new Invocations({
    plans,
    interruptions,
    tokens,
    references,
    swept: operated,
    now: () => clock.now(),
    onEnd: (orderRef) => people.operator?.onEnd(orderRef),
    onSignatureSent: (order, step, begun) =>
      witness.signatureSent(order, step, people.partner?.acts(step.orderRef).signatures ?? new Map(), begun),
  });
  const badDay = isBadDay(plans) ? new BadDay({ clock, beginning, injected }) : undefined;
  const aws = await openAws(simulator, profile, {
    assemblyDirectory,
    clock,
    clockSkew: new Clocks({ injected, seed, areRight: clocksAreRight }).skewOf,
    requestWrapper: faults.wrapper,
    entryRefusal: faults.entryRefusal,
    invokeWrapper: badDay ? badDay.throttling(invocations.wrapper) : invocations.wrapper,
    deliveryWrapper: badDay ? badDay.losingEnds : new Deliveries(plans, clock, injected).wrapper,
  });
  running.aws = aws;
  aws.watch(witness.onChange);
  aws.watch(eventWitness.onChange);
  const client = { ...aws.directClientSettings, credentials: PEOPLES_KEY };
  const outputs = aws.outputs['LoanOrders-local'] ?? {};
  const buckets = { intakeBucket: outputs.IntakeBucket ?? '', stagingBucket: outputs.StagingBucket ?? '' };
  const partner = new Partner({
    s3: new S3Client(client),
    ...buckets,
    simulator,
    references,
    schedule,
    plans,
    witness,
  });
  const operator = new Operator({ endpoint: aws.endpoint, references, schedule, plans, done: operated });
  Object.assign(people, { partner, operator });
  const putCredentials = async () => {
    const secret = { SecretId: outputs.CredentialsSecret, SecretString: secretOf(simulator) };
    await new SecretsManagerClient(client).send(new PutSecretValueCommand(secret));
  };
  await putCredentials();
  const kmsCertificate = await certifySigningKey(aws);
  new ServiceFaults({
    simulator,
    references,
    schedule,
    plans,
    interruptions,
    injected,
    putCredentials,
    onRead: (orderRef, order) => partner.onRead(orderRef, order),
  });
  badDay?.strikeAt(simulator);
  const close = async () => {
    await aws.close();
    await simulator.close();
  };
  return {
    plans,
    clock,
    schedule,
    simulator,
    references,
    aws,
    partner,
    operator,
    witness,
    eventWitness,
    kmsCertificate,
    injected,
    operated,
    calls,
    close,
  };
}
