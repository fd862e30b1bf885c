import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient } from '@aws-sdk/client-sfn';
import { type LocalAws, startLocalAws } from '@business-loan-orders/embedded-aws';
import { type Simulator, startSimulator } from '@business-loan-orders/order-simulator';
import { announceLaptop } from '../commands/stage/laptops.ts';
import { LAPTOP_ENDPOINT } from '../commands/stage/place.ts';
import { provideAssembly } from './assembly.ts';
import type { Service } from './named-service.ts';

export interface LaptopOptions {
  /** The port; 0 is any free one. */
  awsPort: number;
  /** Shows a step while the work runs. */
  step<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  stopped?: AbortSignal;
}

/** A running laptop: the embedded AWS with the synthesized stack, and SDK clients. */
export interface Laptop {
  aws: LocalAws;
  outputs: Record<string, string>;
  s3: S3Client;
  stepFunctions: SFNClient;
  close(): Promise<void>;
}

/** A laptop that uses the simulator as the order service. */
export interface SimulatedLaptop extends Laptop {
  simulator: Simulator;
}

/** The option that selects this laptop on the command line. */
export const placeOf = ({ aws }: Laptop) =>
  aws.endpoint === LAPTOP_ENDPOINT ? '--local' : `--endpoint ${aws.endpoint}`;

/** The wait when the service sends no usable `pollAfterSeconds`. Stage `local` has 1, which is too short for a real service. */
const POLL_DEFAULT_SECONDS = '30';

/** Starts the laptop with a simulator of the order service. `simulatorPort` 0 is any free one. */
export async function startSimulatedLaptop(
  options: LaptopOptions & { simulatorPort: number },
): Promise<SimulatedLaptop> {
  const simulator = await startSimulator({
    port: options.simulatorPort,
    switches: true,
    settings: { pollAfterSeconds: 1, processingSeconds: 1, bankSeconds: 2 },
  });
  const { authorizationUrl, settings, url } = simulator;
  const laptop = await startOrders(options, {
    credentials: { client_id: settings.clientId, client_secret: settings.clientSecret },
    functionEnvironment: { ORDER_SERVICE_URL: url, TOKEN_URL: `${authorizationUrl}/oauth2/token` },
    simulator,
  });
  return { ...laptop, simulator };
}

export async function startLaptop(options: LaptopOptions, { url, tokenUrl, credentials }: Service): Promise<Laptop> {
  const functionEnvironment = { ORDER_SERVICE_URL: url, TOKEN_URL: tokenUrl, POLL_DEFAULT_SECONDS };
  return startOrders(options, { credentials, functionEnvironment });
}

/** A stack of stage `local`, and what it needs to know about its service. */
export interface LaptopStack {
  name: string;
  /** The CDK's context that synthesizes it, beside the stage. */
  context?: Record<string, string>;
  credentials: Service['credentials'];
  functionEnvironment: Record<string, string>;
  /** The simulator of its service, which is closed with it. */
  simulator?: Pick<Simulator, 'switchesUrl' | 'close'>;
}

async function startOrders(options: LaptopOptions, stack: Omit<LaptopStack, 'name'>): Promise<Laptop> {
  const laptop = await startStack(options, { name: 'LoanOrders-local', ...stack });
  // The sweep: it starts orders again that an outage stopped.
  laptop.aws.startSchedules();
  return laptop;
}

/**
 * Starts a stack in the embedded AWS, without its schedules. If a part fails or `stopped` aborts, the parts that have started, and the
 * simulator, are closed before the error is thrown.
 */
export async function startStack(options: LaptopOptions, stack: LaptopStack): Promise<Laptop> {
  const { name, context = {}, credentials, functionEnvironment, simulator } = stack;
  const closers: (() => unknown)[] = [() => simulator?.close()];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const assemblyDirectory = mkdtempSync(join(tmpdir(), 'loan-orders-'));
    closers.push(() => rmSync(assemblyDirectory, { recursive: true, force: true }));
    await options.step('Synthesizing the stack of stage local …', () =>
      provideAssembly('local', assemblyDirectory, { context, ...(options.stopped && { signal: options.stopped }) }),
    );
    const aws = await options.step('Starting the embedded AWS …', () =>
      startLocalAws({
        assemblyDirectory,
        port: options.awsPort,
        // Two of each function at once are enough for a person.
        lambdaConcurrency: 2,
        lambdaThreads: 2,
        holdSchedules: true,
        functionEnvironment,
      }),
    );
    closers.push(() => aws.close());
    const outputs = aws.outputs[name] ?? {};
    await putCredentials(aws, outputs.CredentialsSecret ?? '', credentials);
    await options.step('Loading the functions …', () => aws.warm());
    options.stopped?.throwIfAborted();
    closers.push(announceLaptop(aws.endpoint, tmpdir(), simulator?.switchesUrl));
    const { clientSettings: settings } = aws;
    return { aws, outputs, s3: new S3Client(settings), stepFunctions: new SFNClient(settings), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Puts the credentials into the secret, as a partner does once after deploying. */
async function putCredentials(
  { clientSettings }: LocalAws,
  SecretId: string,
  credentials: Service['credentials'],
): Promise<void> {
  const secrets = new SecretsManagerClient(clientSettings);
  await secrets.send(new PutSecretValueCommand({ SecretId, SecretString: JSON.stringify(credentials) }));
}
