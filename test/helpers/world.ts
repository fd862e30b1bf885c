import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  GetExecutionHistoryCommand,
  type HistoryEvent,
  ListExecutionsCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { inject } from 'vitest';
import { readEntry, type StoredEntry } from '../../functions/shared/ledger/entry.ts';
import type { Knowledge } from '../../functions/shared/ledger/knowledge.ts';
import type { OrderItem } from '../../functions/shared/order/order-item.ts';
import { type LocalAws, startLocalAws, VirtualClock } from '../../local/aws/index.ts';
import { PartnerSigner } from '../../local/people/partner-signer.ts';
import { type RecordedCall, type SimulatedOrder, type Simulator, startSimulator } from '../../simulator/index.ts';
import type { WorldOptions } from './world-options.ts';

export const DAY = 86_400_000;

export type Item = Record<string, unknown> & { item: string };

/**
 * The synthesized stack in the embedded AWS, the simulator beside it, one virtual clock for both, and the ordinary SDK: a
 * partner's back office, signer and credit desk in a test's hands. Time passes only in `until…`.
 */
export class World {
  readonly aws: LocalAws;
  readonly simulator: Simulator;
  readonly clock: VirtualClock;
  readonly outputs: Record<string, string>;
  readonly s3: S3Client;
  readonly stepFunctions: SFNClient;
  private readonly dynamodb: DynamoDBDocumentClient;
  private readonly signer: PartnerSigner;

  static async start(options: WorldOptions = {}): Promise<World> {
    const { settings, environment, statements, invokeWrapper, requestWrapper, deliveryWrapper } = options;
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const simulator = await startSimulator({ now: () => clock.now(), ...(settings && { settings }) });
    const aws = await startLocalAws({
      assemblyDirectory: options.assemblyDirectory ?? inject('assemblyDirectory'),
      clock,
      ...(invokeWrapper && { invokeWrapper }),
      ...(requestWrapper && { requestWrapper }),
      ...(deliveryWrapper && { deliveryWrapper }),
      ...(statements && { functionStatements: statements }),
      functionEnvironment: {
        // Nobody reads their stack traces: the source map of every function would be parsed for them.
        NODE_OPTIONS: '',
        ORDER_SERVICE_URL: simulator.url,
        TOKEN_URL: `${simulator.authorizationUrl}/oauth2/token`,
        ...environment,
      },
    });
    const world = new World(aws, simulator, clock);
    if (options.credentials !== false) await world.putOwnCredentials();
    return world;
  }

  private constructor(aws: LocalAws, simulator: Simulator, clock: VirtualClock) {
    const client = aws.directClientSettings;
    this.aws = aws;
    this.simulator = simulator;
    this.clock = clock;
    this.outputs = aws.outputs['LoanOrders-local'] ?? {};
    this.s3 = new S3Client(client);
    this.stepFunctions = new SFNClient(client);
    this.dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(client));
    this.signer = new PartnerSigner({
      s3: this.s3,
      stagingBucket: this.outputs.StagingBucket ?? '',
      watch: aws.watch,
      onSigned: () => undefined,
      onError: (error) => {
        throw error;
      },
    });
  }

  /** As new for the next file: nothing is stored or under way, and a day has passed, so that no token is valid any more. */
  async forget(options: Pick<WorldOptions, 'settings'> = {}): Promise<void> {
    await this.aws.settle();
    await this.aws.forget();
    await this.aws.settle();
    this.signer.forget();
    this.simulator.forget(options.settings);
    this.clock.advanceTo(this.clock.now() + DAY);
    await this.putOwnCredentials();
  }

  private async putOwnCredentials(): Promise<void> {
    const { clientId: client_id, clientSecret: client_secret } = this.simulator.settings;
    await this.putCredentials({ client_id, client_secret });
  }

  async close(): Promise<void> {
    await this.aws.close();
    await this.simulator.close();
  }

  async putCredentials(credentials: Record<string, string>): Promise<void> {
    const secrets = new SecretsManagerClient(this.aws.directClientSettings);
    const SecretString = JSON.stringify(credentials);
    await secrets.send(new PutSecretValueCommand({ SecretId: this.outputs.CredentialsSecret, SecretString }));
  }

  /** Uploads one file to intake, below the order's folder. */
  async put(orderRef: string, file: string, content: unknown): Promise<void> {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    const Body = content instanceof Uint8Array ? content : Buffer.from(text);
    await this.s3.send(
      new PutObjectCommand({ Bucket: this.outputs.IntakeBucket, Key: `orders/${orderRef}/${file}`, Body }),
    );
  }

  async removeFromIntake(orderRef: string, file: string): Promise<void> {
    await this.s3.send(
      new DeleteObjectCommand({ Bucket: this.outputs.IntakeBucket, Key: `orders/${orderRef}/${file}` }),
    );
  }

  /** A staged file's bytes. Throws NoSuchKey when it is not there. */
  async stagedBytes(orderRef: string, file: string): Promise<Uint8Array> {
    const Key = `orders/${orderRef}/${file}`;
    const { Body } = await this.s3.send(new GetObjectCommand({ Bucket: this.outputs.StagingBucket, Key }));
    if (!Body) throw new Error(`${Key} came without a body.`);
    return Body.transformToByteArray();
  }

  /** A staged file's text; undefined when it is not there. */
  async staged(orderRef: string, file: string): Promise<string | undefined> {
    try {
      return Buffer.from(await this.stagedBytes(orderRef, file)).toString('utf8');
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  async stagedJson<Value>(orderRef: string, file: string): Promise<Value> {
    return JSON.parse((await this.staged(orderRef, file)) ?? 'null') as Value;
  }

  async stagedKeys(orderRef: string): Promise<string[]> {
    const Prefix = `orders/${orderRef}/`;
    const page = await this.s3.send(new ListObjectsV2Command({ Bucket: this.outputs.StagingBucket, Prefix }));
    return (page.Contents ?? []).map(({ Key }) => (Key ?? '').slice(Prefix.length));
  }

  /** Every item of the order's record. */
  async items(orderRef: string): Promise<Item[]> {
    const { Items = [] } = await this.dynamodb.send(
      new QueryCommand({
        TableName: this.outputs.OrderTable,
        KeyConditionExpression: 'orderRef = :orderRef',
        ExpressionAttributeValues: { ':orderRef': orderRef },
        ConsistentRead: true,
      }),
    );
    return Items as Item[];
  }

  async record(orderRef: string): Promise<OrderItem | undefined> {
    return (await this.items(orderRef)).find(({ item }) => item === 'order') as unknown as OrderItem | undefined;
  }

  /** What the ledger knows of an order's operation; undefined before it was begun. */
  async knowledge(orderRef: string, operation: string): Promise<Knowledge | undefined> {
    const entry = (await this.items(orderRef)).find(({ item }) => item === `operation#${operation}`);
    return entry && readEntry(entry as unknown as StoredEntry).knowledge;
  }

  /** Executions of the order, the first one first. */
  async executions(orderRef: string) {
    const { executions = [] } = await this.stepFunctions.send(
      new ListExecutionsCommand({ stateMachineArn: this.outputs.OrderStateMachine, maxResults: 1000 }),
    );
    return executions.filter(({ name }) => new RegExp(`^${orderRef}-\\d+$`).test(name ?? '')).reverse();
  }

  /** Starts the order's next execution, as an operator does. */
  async startNext(orderRef: string): Promise<void> {
    const generation = ((await this.record(orderRef))?.generation ?? 0) + 1;
    const input = JSON.stringify({ orderRef, generation });
    const stateMachineArn = this.outputs.OrderStateMachine;
    await this.stepFunctions.send(
      new StartExecutionCommand({ stateMachineArn, name: `${orderRef}-${generation}`, input }),
    );
    await this.until(orderRef, (order) => order.generation === generation, { signing: false });
  }

  /** Stops the execution that drives the order, as an operator does. */
  async abort(orderRef: string): Promise<void> {
    const { execution } = (await this.record(orderRef)) ?? {};
    await this.stepFunctions.send(new StopExecutionCommand({ executionArn: execution, error: 'AbortedByOperator' }));
    await this.aws.settle();
  }

  async history(executionArn: string | undefined): Promise<HistoryEvent[]> {
    const { events = [] } = await this.stepFunctions.send(
      new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 }),
    );
    return events;
  }

  /** Calls of the order at the simulator. */
  async calls(orderRef: string): Promise<RecordedCall[]> {
    const orderId = (await this.record(orderRef))?.orderId;
    return this.simulator.calls().filter((call) => call.orderId === orderId);
  }

  /** The partner's signer looks into staging once and signs what it finds. */
  async sign(): Promise<void> {
    await this.signer.look();
  }

  /** Lets time pass until the record says so; the signer signs meanwhile unless told not to. */
  async until(
    orderRef: string,
    condition: (order: OrderItem) => boolean,
    { signing = true, limit = 60 * DAY }: { signing?: boolean; limit?: number } = {},
  ): Promise<OrderItem> {
    let order: OrderItem | undefined;
    const met = async () => {
      if (signing) await this.sign();
      order = await this.record(orderRef);
      return order !== undefined && condition(order);
    };
    await this.aws.runUntil(met, { limitMilliseconds: limit });
    await this.aws.settle();
    return order as OrderItem;
  }

  /** Lets time pass in steps shorter than a poll, so that the service may be ahead of what an execution has read. */
  async untilAtService(orderId: string, condition: (order: SimulatedOrder) => boolean): Promise<SimulatedOrder> {
    for (let steps = 0; steps < 10_000; steps += 1) {
      await this.aws.settle();
      const order = this.simulator.order(orderId);
      if (order && condition(order)) return order;
      this.clock.advanceTo(this.clock.now() + 500);
    }
    throw new Error(`The order service's order ${orderId} never came to that.`);
  }

  /** Lets time pass until the order is final or waits for an operator. */
  async untilEnd(orderRef: string, options: { signing?: boolean; limit?: number } = {}): Promise<OrderItem> {
    return this.until(orderRef, ({ waitingFor }) => waitingFor === 'nobody' || waitingFor === 'operator', options);
  }
}
