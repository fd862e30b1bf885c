import { createPublicKey } from 'node:crypto';
import { GetPublicKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { certify, makeAuthority, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { type LocalAws, startLocalAws, VirtualClock } from '@business-loan-orders/embedded-aws';
import { type Simulator, startSimulator } from '@business-loan-orders/order-simulator';
import { EventWitness } from '../checks/event-witness.ts';
import { Witness } from '../checks/witness.ts';
import { AwsFaults } from '../faults/aws-faults.ts';
import { failForHours, isBadDay, losingEnds, throttling } from '../faults/bad-day.ts';
import { wrongClocks } from '../faults/clocks.ts';
import { deliveries } from '../faults/deliveries.ts';
import { Interruptions } from '../faults/interruptions.ts';
import { invocations } from '../faults/invocations.ts';
import { ServiceFaults } from '../faults/service-faults.ts';
import { Operator } from '../people/operator.ts';
import { Partner } from '../people/partner.ts';
import { PEOPLES_KEY } from '../people/peoples-key.ts';
import { Uploads } from '../people/uploads.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import { environmentOf, type Profile, secretOf, settingsOf } from './profiles.ts';
import { References } from './references.ts';
import { BEGINNING, Schedule } from './schedule.ts';
import type { SimulatedWorld } from './simulated-world.ts';
import { Tally } from './tally.ts';

/** Timeout of calls to the order service, in real milliseconds. A timeout is the only fault that takes real time. */
const CALL_TIMEOUT = '3000';

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

/** The world with its people. */
export interface OpenWorld extends SimulatedWorld {
  partner: Partner;
  operator: Operator;
  /** The certificate of the KMS key, DER. */
  kmsCertificate: Buffer;
  close(): Promise<void>;
}

/** Opens the embedded AWS with the stack, the order service, the people and all faults, with one virtual clock. */
export async function openSimulatedWorld(
  plans: ReadonlyMap<string, OrderPlan>,
  { assemblyDirectory, profile = 'default', seed, clocksAreRight }: WorldOptions,
): Promise<OpenWorld> {
  const clock = new VirtualClock(BEGINNING);
  const simulator = await startSimulator({ now: () => clock.now(), settings: settingsOf(profile) });
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
  const [partner, operator] = [new Partner(world), new Operator(world)];
  const interruptions = new Interruptions(world);
  const faults = new AwsFaults(world, partner, interruptions);
  const wrapper = invocations(world, interruptions, operator);
  const hasBadDay = isBadDay(plans);
  const aws = await startLocalAws({
    assemblyDirectory,
    clock,
    ...(!clocksAreRight && { clockSkew: wrongClocks(world.injected, seed) }),
    requestWrapper: faults.wrapper,
    entryRefusal: faults.entryRefusal,
    invokeWrapper: hasBadDay ? throttling(world, wrapper) : wrapper,
    deliveryWrapper: hasBadDay ? losingEnds(world) : deliveries(world),
    // The simulation limits how many invocations run at once (interruptions.ts), so that a paused one blocks no other.
    lambdaConcurrency: 1_000,
    lambdaThreads: 'one for each sandbox',
    holdSchedules: true,
    functionEnvironment: functionEnvironment(simulator, profile),
  });
  const client = { ...aws.clientSettings, credentials: PEOPLES_KEY };
  const outputs = aws.outputs['LoanOrders-local'] ?? {};
  const s3 = new S3Client(client);
  aws.watch(world.witness.onChange);
  aws.watch(world.eventWitness.onChange);
  const putCredentials = async () => {
    const secret = { SecretId: outputs.CredentialsSecret, SecretString: secretOf(simulator) };
    await new SecretsManagerClient(client).send(new PutSecretValueCommand(secret));
  };
  Object.assign(world, { aws, outputs, s3, uploads: new Uploads(s3, outputs.IntakeBucket), putCredentials });
  await putCredentials();
  const kmsCertificate = await certifySigningKey(aws);
  new ServiceFaults(world, partner, interruptions);
  if (hasBadDay) failForHours(world);
  const close = async () => {
    await aws.close();
    await simulator.close();
  };
  return { ...world, partner, operator, kmsCertificate, close };
}

function functionEnvironment(simulator: Simulator, profile: Profile): Record<string, string> {
  return {
    ...environmentOf(profile),
    ORDER_SERVICE_URL: simulator.url,
    TOKEN_URL: `${simulator.authorizationUrl}/oauth2/token`,
    POWERTOOLS_LOG_LEVEL: 'ERROR',
    // No source maps: nobody reads stack traces here, and parsing the maps takes time.
    NODE_OPTIONS: '',
    // The same as the service asks for.
    POLL_DEFAULT_SECONDS: String(simulator.settings.pollAfterSeconds),
    AWS_MAX_ATTEMPTS: '2',
    CALL_TIMEOUT_MILLISECONDS: CALL_TIMEOUT,
    FILE_TIMEOUT_MILLISECONDS: CALL_TIMEOUT,
    FILE_IDLE_TIMEOUT_MILLISECONDS: CALL_TIMEOUT,
  };
}

/** Gets a certificate for the stage's KMS key and puts it into intake, as a partner does once. Returns it as DER. */
async function certifySigningKey({ clientSettings, outputs }: LocalAws): Promise<Buffer> {
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
