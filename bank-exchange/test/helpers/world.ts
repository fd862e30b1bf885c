import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, ListObjectsV2Command, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  DescribeExecutionCommand,
  type DescribeExecutionCommandOutput,
  GetExecutionHistoryCommand,
  type HistoryEvent,
  ListExecutionsCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { type LocalAws, startLocalAws, VirtualClock } from '@business-loan-orders/embedded-aws';
import { PlainLines } from '../../../test/helpers/plain-lines.ts';
import type { WorldOptions } from '../../../test/helpers/world-options.ts';
import { ExchangeRecord } from '../../commands/record.ts';
import type { BookSettings } from '../../simulator/book.ts';
import { addressesOf, credentialsOf, type ExchangeSimulator, startExchangeSimulator } from '../../simulator/index.ts';
import { type AwsFailure, eventsIn, failNext, type PublishedEvent } from './requests.ts';

/** The DynamoDB client of the SDK makes this many attempts before its function fails. */
const SDK_ATTEMPTS = 4;

const STACK = 'LoanOrdersLegacy-local';

export interface ExchangeWorldOptions extends Omit<WorldOptions, 'settings'> {
  /** Settings of the simulated exchange. */
  book?: Partial<BookSettings>;
  /** Default: a clock of its own. */
  clock?: VirtualClock;
  /** The key that the bank and its operator send requests with. Default: any. */
  peoplesKey?: LocalAws['clientSettings']['credentials'];
}

/**
 * The stack of the bank exchange in the embedded AWS and the simulator, with one virtual clock for both. A test uses it as the bank.
 * Time passes only in `ended`, `run` and `answer`.
 */
export class ExchangeWorld {
  readonly aws: LocalAws;
  readonly simulator: ExchangeSimulator;
  readonly clock: VirtualClock;
  readonly outputs: Record<string, string>;
  readonly s3: S3Client;
  readonly stepFunctions: SFNClient;
  private readonly dynamodb: DynamoDBDocumentClient;
  readonly record: ExchangeRecord;
  readonly #client: LocalAws['clientSettings'];
  /** The events that the functions put on the bus. */
  readonly published: PublishedEvent[];
  readonly failures: AwsFailure[];
  readonly plainLines: PlainLines;
  private started = 0;

  static async start(assemblyDirectory: string, options: ExchangeWorldOptions = {}): Promise<ExchangeWorld> {
    const {
      book = {},
      clock = new VirtualClock(Date.UTC(2026, 0, 1)),
      environment,
      invokeWrapper,
      requestWrapper,
      deliveryWrapper,
      credentials = true,
    } = options;
    const published: PublishedEvent[] = [];
    const failures: AwsFailure[] = [];
    const simulator = await startExchangeSimulator({ now: () => clock.now(), book });
    const plainLines = new PlainLines();
    const aws = await startLocalAws({
      assemblyDirectory,
      clock,
      // Tests of the schedules start them.
      holdSchedules: true,
      onLog: plainLines.listen,
      ...(invokeWrapper && { invokeWrapper }),
      requestWrapper: async (request, serve) => {
        const fault = failNext(failures, request) ?? (await requestWrapper?.(request, serve));
        if (!fault && request.operation === 'PutEvents') published.push(...eventsIn(request.body));
        return fault;
      },
      ...(deliveryWrapper && { deliveryWrapper }),
      functionEnvironment: {
        // No source maps: nobody reads stack traces here, and parsing the maps takes time.
        NODE_OPTIONS: '',
        ...addressesOf(simulator),
        ...environment,
      },
    });
    const world = new ExchangeWorld(aws, simulator, clock, { published, failures, plainLines }, options.peoplesKey);
    if (credentials) await world.putCredentials();
    return world;
  }

  private constructor(
    aws: LocalAws,
    simulator: ExchangeSimulator,
    clock: VirtualClock,
    kept: Pick<ExchangeWorld, 'published' | 'failures' | 'plainLines'>,
    key = aws.clientSettings.credentials,
  ) {
    this.published = kept.published;
    this.failures = kept.failures;
    this.plainLines = kept.plainLines;
    const client = { ...aws.clientSettings, credentials: key };
    this.#client = client;
    this.aws = aws;
    this.simulator = simulator;
    this.clock = clock;
    this.outputs = aws.outputs[STACK] ?? {};
    this.s3 = new S3Client(client);
    this.stepFunctions = new SFNClient(client);
    this.dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(client));
    this.record = new ExchangeRecord(new DynamoDBClient(client), this.outputs.ExchangeTable ?? '');
  }

  async close(): Promise<void> {
    await this.aws.close();
    await this.simulator.close();
  }

  async putCredentials(change: Record<string, string> = {}): Promise<void> {
    await new SecretsManagerClient(this.#client).send(
      new PutSecretValueCommand({
        SecretId: this.outputs.CredentialsSecret,
        SecretString: JSON.stringify({ ...credentialsOf(this.simulator), ...change }),
      }),
    );
  }

  /** Starts an execution. Returns its ARN. */
  async begin(input: object): Promise<string> {
    this.started += 1;
    const name = `test-${this.started}`;
    const { executionArn } = await this.stepFunctions.send(
      new StartExecutionCommand({
        stateMachineArn: this.outputs.ExchangeStateMachine,
        name,
        input: JSON.stringify(input),
      }),
    );
    return executionArn ?? '';
  }

  /** The description of the execution, without letting time pass. */
  async look(executionArn: string): Promise<DescribeExecutionCommandOutput> {
    return this.stepFunctions.send(new DescribeExecutionCommand({ executionArn }));
  }

  /** Lets time pass until the execution has ended. */
  async ended(executionArn: string): Promise<DescribeExecutionCommandOutput & { result: Record<string, unknown> }> {
    let found: DescribeExecutionCommandOutput | undefined;
    await this.aws.runUntil(async () => {
      found = await this.look(executionArn);
      return found.status !== 'RUNNING';
    });
    await this.aws.settle();
    return { ...(found as DescribeExecutionCommandOutput), result: JSON.parse(found?.output ?? '{}') };
  }

  /** Starts an execution and lets time pass until it has ended. */
  async run(input: object) {
    return this.ended(await this.begin(input));
  }

  /** Makes AWS fail the next request of this operation whose path or body contains `part`, in all attempts of the SDK. */
  failOnce(operation: string, part: string): void {
    this.failures.push({ operation, part, left: SDK_ATTEMPTS });
  }

  async executions() {
    const { executions = [] } = await this.stepFunctions.send(
      new ListExecutionsCommand({ stateMachineArn: this.outputs.ExchangeStateMachine, maxResults: 1000 }),
    );
    return executions.reverse();
  }

  async history(executionArn: string | undefined): Promise<HistoryEvent[]> {
    const { events = [] } = await this.stepFunctions.send(
      new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 }),
    );
    return events;
  }

  /** Uploads a file to intake. Returns its version. */
  async put(key: string, content: unknown): Promise<string> {
    const Body = typeof content === 'string' ? content : JSON.stringify(content);
    const put = new PutObjectCommand({ Bucket: this.outputs.IntakeBucket, Key: key, Body });
    return (await this.s3.send(put)).VersionId ?? '';
  }

  /** The text of a staged file; undefined if it does not exist. */
  async staged(key: string): Promise<string | undefined> {
    try {
      const { Body } = await this.s3.send(new GetObjectCommand({ Bucket: this.outputs.StagingBucket, Key: key }));
      return await Body?.transformToString();
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  async stagedJson<Value>(key: string): Promise<Value> {
    return JSON.parse((await this.staged(key)) ?? 'null') as Value;
  }

  async stagedKeys(prefix: string): Promise<string[]> {
    const keys: string[] = [];
    let token: string | undefined;
    do {
      const page = await this.s3.send(
        new ListObjectsV2Command({
          Bucket: this.outputs.StagingBucket,
          Prefix: prefix,
          ...(token && { ContinuationToken: token }),
        }),
      );
      keys.push(...(page.Contents ?? []).map(({ Key }) => Key ?? ''));
      token = page.NextContinuationToken;
    } while (token);
    return keys;
  }

  async item<Item>(subject: string, item: string): Promise<Item | undefined> {
    const { ExchangeTable: TableName } = this.outputs;
    const get = new GetCommand({ TableName, Key: { subject, item }, ConsistentRead: true });
    return (await this.dynamodb.send(get)).Item as Item | undefined;
  }

  /** Every item of a kind, oldest first. */
  async ofKind<Item>(kind: Parameters<ExchangeRecord['all']>[0]): Promise<Item[]> {
    return (await this.record.all(kind)).reverse() as Item[];
  }

  /** Lets time pass until staging has the file in a version that meets the condition. */
  async answer<Answer>(key: string, condition: (answer: Answer) => boolean = () => true): Promise<Answer> {
    let answer: Answer | undefined;
    await this.aws.runUntil(async () => {
      answer = (await this.stagedJson<Answer | null>(key)) ?? undefined;
      return answer !== undefined && condition(answer);
    });
    await this.aws.settle();
    return answer as Answer;
  }
}
