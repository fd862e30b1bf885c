import { createPublicKey } from 'node:crypto';
import { GetPublicKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { certify, makeAuthority, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { type LocalAws, VirtualClock } from '@business-loan-orders/embedded-aws';
import { EventWitness } from '../checks/event-witness.ts';
import { Witness } from '../checks/witness.ts';
import { AwsFaults } from '../faults/aws-faults.ts';
import { BadDay, isBadDay } from '../faults/bad-day.ts';
import { wrongClocks } from '../faults/clocks.ts';
import { Deliveries } from '../faults/deliveries.ts';
import { Interruptions } from '../faults/interruptions.ts';
import { Invocations } from '../faults/invocations.ts';
import { ServiceFaults } from '../faults/service-faults.ts';
import { Operator } from '../people/operator.ts';
import { Partner } from '../people/partner.ts';
import { PEOPLES_KEY } from '../people/peoples-key.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import { openAws, openSimulator } from './open-service.ts';
import { type Profile, secretOf } from './profiles.ts';
import { References } from './references.ts';
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

/** Opens the embedded AWS with the stack, the order service, the people and all faults, with one virtual clock. */
export async function openSimulatedWorld(
  plans: ReadonlyMap<string, OrderPlan>,
  { assemblyDirectory, profile = 'default', seed, clocksAreRight }: WorldOptions,
): Promise<SimulatedWorld> {
  const clock = new VirtualClock(BEGINNING);
  const simulator = await openSimulator(clock, profile);
  // What is not there yet exists before any function runs.
  const world = {
    plans,
    clock,
    simulator,
    schedule: new Schedule(clock),
    references: new References(simulator),
    witness: new Witness(),
    eventWitness: new EventWitness(),
    tokens: new Map(),
    injected: new Tally(),
    operated: new Tally(),
    calls: new Tally(),
  } as unknown as SimulatedWorld;
  const { witness, eventWitness, injected } = world;
  world.interruptions = new Interruptions(world);
  world.partner = new Partner(world);
  world.operator = new Operator(world);
  const faults = new AwsFaults(world);
  const invocations = new Invocations(world);
  const badDay = isBadDay(plans) ? new BadDay(world) : undefined;
  const aws = await openAws(simulator, profile, {
    assemblyDirectory,
    clock,
    ...(!clocksAreRight && { clockSkew: wrongClocks(injected, seed) }),
    requestWrapper: faults.wrapper,
    entryRefusal: faults.entryRefusal,
    invokeWrapper: badDay ? badDay.throttling(invocations.wrapper) : invocations.wrapper,
    deliveryWrapper: badDay ? badDay.losingEnds : new Deliveries(world).wrapper,
  });
  const client = { ...aws.clientSettings, credentials: PEOPLES_KEY };
  const outputs = aws.outputs['LoanOrders-local'] ?? {};
  aws.watch(witness.onChange);
  aws.watch(eventWitness.onChange);
  const putCredentials = async () => {
    const secret = { SecretId: outputs.CredentialsSecret, SecretString: secretOf(simulator) };
    await new SecretsManagerClient(client).send(new PutSecretValueCommand(secret));
  };
  const close = async () => {
    await aws.close();
    await simulator.close();
  };
  Object.assign(world, { aws, outputs, s3: new S3Client(client), putCredentials, close });
  await putCredentials();
  world.kmsCertificate = await certifySigningKey(aws);
  new ServiceFaults(world);
  badDay?.strike();
  return world;
}

/** Gets a certificate for the stage's KMS key and puts it into intake, as a partner does once. Returns it as DER. */
export async function certifySigningKey({ clientSettings, outputs }: LocalAws): Promise<Buffer> {
  const client = { ...clientSettings, credentials: PEOPLES_KEY };
  const { SigningKey: KeyId, IntakeBucket: Bucket } = outputs['LoanOrders-local'] ?? {};
  const { PublicKey = new Uint8Array() } = await new KMSClient(client).send(new GetPublicKeyCommand({ KeyId }));
  const publicKey = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
  const authority = makeAuthority();
  const { certificate } = certify(publicKey, authority);
  const Body = `${toPem(authority.certificate)}${toPem(certificate)}`;
  await new S3Client(client).send(new PutObjectCommand({ Bucket, Key: 'signing/certificate-chain.pem', Body }));
  return certificate;
}
