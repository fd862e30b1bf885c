import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { type LocalAws, startLocalAws, type VirtualClock } from '../../../packages/embedded-aws/index.ts';
import { PEOPLES_KEY } from '../../../test/simulation/people/peoples-key.ts';
import { ExchangeRecord } from '../../commands/record.ts';
import type { InnBatch } from '../../core/inn-batch.ts';
import { addressesOf, credentialsOf, type ExchangeSimulator, startExchangeSimulator } from '../../simulator/index.ts';
import type { ExchangeFaults } from './faults.ts';

export const STACK = 'LoanOrdersLegacy-local';

export interface ExchangeWorldOptions {
  /** A synthesized cloud assembly of stage `local` that contains only the exchange. */
  assemblyDirectory: string;
  clock: VirtualClock;
  faults: ExchangeFaults;
}

/** The stack of the exchange in the embedded AWS, and the simulated service, with faults between them. Schedules start on request. */
export class ExchangeWorld {
  readonly aws: LocalAws;
  readonly simulator: ExchangeSimulator;
  readonly s3: S3Client;
  readonly outputs: Record<string, string>;
  readonly record: ExchangeRecord;

  static async open({ assemblyDirectory, clock, faults }: ExchangeWorldOptions): Promise<ExchangeWorld> {
    const simulator = await startExchangeSimulator({ now: () => clock.now() });
    try {
      const aws = await startLocalAws({
        assemblyDirectory,
        clock,
        holdSchedules: true,
        requestWrapper: faults.requests,
        invokeWrapper: faults.invocations,
        deliveryWrapper: faults.deliveries,
        functionEnvironment: {
          ...addressesOf(simulator),
          POWERTOOLS_LOG_LEVEL: 'SILENT',
          AWS_MAX_ATTEMPTS: '2',
          CALL_TIMEOUT_MILLISECONDS: '1000',
        },
      });
      const world = new ExchangeWorld(aws, simulator);
      await world.#putCredentials();
      faults.attend(simulator);
      return world;
    } catch (error) {
      await simulator.close();
      throw error;
    }
  }

  private constructor(aws: LocalAws, simulator: ExchangeSimulator) {
    const client = { ...aws.directClientSettings, credentials: PEOPLES_KEY };
    this.aws = aws;
    this.simulator = simulator;
    this.outputs = aws.outputs[STACK] ?? {};
    this.s3 = new S3Client(client);
    this.record = new ExchangeRecord(new DynamoDBClient(client), this.outputs.ExchangeTable ?? '');
  }

  async close(): Promise<void> {
    await this.aws.close();
    await this.simulator.close();
  }

  /** The text of a staged file. Throws NoSuchKey when it is not there. */
  async staged(Key: string): Promise<string> {
    const { Body } = await this.s3.send(new GetObjectCommand({ Bucket: this.outputs.StagingBucket, Key }));
    return (await Body?.transformToString()) ?? '';
  }

  /** Every batch of tax numbers, with its staged file. */
  async batches() {
    const batches = await this.record.all('batch');
    const read = async (key: string) => JSON.parse(await this.staged(key)) as InnBatch;
    return Promise.all(batches.map(async (item) => ({ ...item, staged: await read(item.key) })));
  }

  async #putCredentials(): Promise<void> {
    const secrets = new SecretsManagerClient({ ...this.aws.directClientSettings, credentials: PEOPLES_KEY });
    const SecretString = JSON.stringify(credentialsOf(this.simulator));
    await secrets.send(new PutSecretValueCommand({ SecretId: this.outputs.CredentialsSecret, SecretString }));
  }
}
