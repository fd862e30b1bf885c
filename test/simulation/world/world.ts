import { S3Client } from '@aws-sdk/client-s3';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { type LocalAws, type LocalAwsOptions, startLocalAws, VirtualClock } from '../../../local/aws/index.ts';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { Witness } from '../checks/witness.ts';
import { AwsFaults } from '../faults/aws-faults.ts';
import { Deliveries } from '../faults/deliveries.ts';
import { Interruptions } from '../faults/interruptions.ts';
import { Invocations } from '../faults/invocations.ts';
import { ServiceFaults } from '../faults/service-faults.ts';
import { Operator } from '../people/operator.ts';
import { Partner } from '../people/partner.ts';
import { PEOPLES_KEY } from '../people/peoples-key.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import { References } from './references.ts';
import { Schedule } from './schedule.ts';
import { Tally } from './tally.ts';

/** Timeout of calls to the order service, in real milliseconds. A timeout is the only fault that takes real time. */
const CALL_TIMEOUT = 3_000;

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
  injected: Tally;
  calls: Tally;
  operated: Tally;
  close(): Promise<void>;
}

/** Opens the embedded AWS with the stack, the order service, the people and all faults, with one virtual clock. */
export async function openSimulatedWorld(
  plans: ReadonlyMap<string, OrderPlan>,
  assemblyDirectory: string,
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
  const simulator = await openSimulator(clock);
  const witness = new Witness();
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
    now: () => clock.now(),
    onEnd: (orderRef) => people.operator?.onEnd(orderRef),
    onSignatureSent: (order, step, begun) =>
      witness.signatureSent(order, step, people.partner?.acts(step.orderRef).signatures ?? new Map(), begun),
  });
  const aws = await openAws(simulator, {
    assemblyDirectory,
    clock,
    requestWrapper: faults.wrapper,
    invokeWrapper: invocations.wrapper,
    deliveryWrapper: new Deliveries(plans, clock, injected).wrapper,
  });
  running.aws = aws;
  aws.watch(witness.onChange);
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
    const { clientId: client_id, clientSecret: client_secret } = simulator.settings;
    const SecretString = JSON.stringify({ client_id, client_secret });
    await new SecretsManagerClient(client).send(
      new PutSecretValueCommand({ SecretId: outputs.CredentialsSecret, SecretString }),
    );
  };
  await putCredentials();
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
    injected,
    operated,
    calls,
    close,
  };
}

function openSimulator(clock: VirtualClock): Promise<Simulator> {
  return startSimulator({
    now: () => clock.now(),
    settings: {
      pollAfterSeconds: 10,
      processingSeconds: 8,
      slowProcessingSeconds: 45,
      bankSeconds: 9,
      tokenLifetimeSeconds: 900,
      unstatedBodies: 'json',
      closeWithoutConfirmationSeconds: 60,
      documentsToSign: 1,
    },
  });
}

async function openAws(simulator: Simulator, options: LocalAwsOptions): Promise<LocalAws> {
  try {
    return await startLocalAws({
      ...options,
      // The simulation limits how many invocations run at once (turns.ts), so that a paused one blocks no other.
      lambdaConcurrency: 1_000,
      lambdaThreads: 'one for each sandbox',
      holdSchedules: true,
      functionEnvironment: {
        ORDER_SERVICE_URL: simulator.url,
        TOKEN_URL: `${simulator.authorizationUrl}/oauth2/token`,
        POWERTOOLS_LOG_LEVEL: 'ERROR',
        // No source maps: nobody reads stack traces here, and parsing the maps takes time.
        NODE_OPTIONS: '',
        // The same as the service asks for.
        POLL_DEFAULT_SECONDS: String(simulator.settings.pollAfterSeconds),
        AWS_MAX_ATTEMPTS: '2',
        CALL_TIMEOUT_MILLISECONDS: String(CALL_TIMEOUT),
        FILE_TIMEOUT_MILLISECONDS: String(CALL_TIMEOUT),
        FILE_IDLE_TIMEOUT_MILLISECONDS: String(CALL_TIMEOUT),
      },
    });
  } catch (error) {
    await simulator.close();
    throw error;
  }
}
