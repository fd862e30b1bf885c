import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Simulator, startSimulator } from '../simulator/index.ts';
import { provideAssembly } from './assembly.ts';
import { type LocalAws, startLocalAws } from './aws/index.ts';
import { showWaiting } from './show-waiting.ts';

export interface LaptopOptions {
  /** Ports; 0 takes any free one. */
  awsPort: number;
  simulatorPort: number;
  /** The obsolete bank exchange instead of the order workflow; its schedules wait for `aws.startSchedules`. */
  legacy: boolean;
  print(line: string): void;
  /** Ends the start when it aborts. */
  stopped?: AbortSignal;
}

/** Everything that runs on the laptop: the service, the embedded AWS with the synthesized stack, and SDK clients. */
export interface Laptop {
  aws: LocalAws;
  simulator: Simulator;
  outputs: Record<string, string>;
  s3: S3Client;
  dynamodb: DynamoDBDocumentClient;
  stepFunctions: SFNClient;
  close(): Promise<void>;
}

/** Starts all of it; when one part can't start, or `stopped` aborts, the others are ended before the error goes on. */
export async function startLaptop(options: LaptopOptions): Promise<Laptop> {
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const simulator = await startSimulator({
      port: options.simulatorPort,
      settings: { pollAfterSeconds: 1, processingSeconds: 1, bankSeconds: 2, legacyRequestOrder: 'newest-first' },
    });
    closers.push(() => simulator.close());
    const assemblyDirectory = mkdtempSync(join(tmpdir(), 'loan-orders-'));
    closers.push(async () => rmSync(assemblyDirectory, { recursive: true, force: true }));
    options.print('Synthesizing the stack of stage local …');
    const legacy = options.legacy ? 'alone' : 'no';
    await showWaiting(
      provideAssembly('local', assemblyDirectory, { legacy, ...(options.stopped && { signal: options.stopped }) }),
    );
    const aws = await startLocalAws({
      assemblyDirectory,
      port: options.awsPort,
      // Two of each function at once are enough for a person.
      lambdaConcurrency: 2,
      lambdaThreads: 2,
      holdSchedules: true,
      functionEnvironment: {
        ORDER_SERVICE_URL: simulator.url,
        TOKEN_URL: `${simulator.authorizationUrl}/oauth2/token`,
        LEGACY_SERVICE_URL: simulator.url,
        LEGACY_TOKEN_URL: `${simulator.authorizationUrl}/token`,
      },
    });
    closers.push(() => aws.close());
    const outputs = aws.outputs[options.legacy ? 'LoanOrdersLegacy-local' : 'LoanOrders-local'] ?? {};
    await putCredentials(aws, simulator, outputs.CredentialsSecret ?? '', options.legacy);
    options.print('Loading the functions …');
    await aws.warm();
    options.stopped?.throwIfAborted();
    const clients = clientsOf(aws);
    return { aws, simulator, outputs, ...clients, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function clientsOf({ directClientSettings: settings }: LocalAws) {
  return {
    s3: new S3Client(settings),
    dynamodb: DynamoDBDocumentClient.from(new DynamoDBClient(settings)),
    stepFunctions: new SFNClient(settings),
  };
}

/** What a partner does once after deploying: the credentials go into the secret. */
async function putCredentials(
  { directClientSettings }: LocalAws,
  simulator: Simulator,
  SecretId: string,
  legacy: boolean,
): Promise<void> {
  const { clientId: client_id, clientSecret: client_secret, legacyScope: scope } = simulator.settings;
  const SecretString = JSON.stringify({ client_id, client_secret, ...(legacy && { scope }) });
  const secrets = new SecretsManagerClient(directClientSettings);
  await secrets.send(new PutSecretValueCommand({ SecretId, SecretString }));
}
