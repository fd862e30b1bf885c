import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  GetExecutionHistoryCommand,
  type HistoryEvent,
  ListExecutionsCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { type LocalAws, startLocalAws, VirtualClock } from '@business-loan-orders/embedded-aws';
import {
  type RecordedCall,
  type SimulatedOrder,
  type Simulator,
  startSimulator,
} from '@business-loan-orders/order-simulator';
import { inject } from 'vitest';
import type { OrderItem } from '../../core/order/order-item.ts';
import { PartnerSigner } from '../../laptop/people/partner-signer.ts';
import { PlainLines } from './plain-lines.ts';
import type { WorldOptions } from './world-options.ts';
import { WorldStorage } from './world-storage.ts';

export const DAY = 86_400_000;

/** Each document to sign costs a test a tenth of an order. A read that brings nothing new costs little less. */
const LEAST_WORK = { documentsToSign: 1, processingSeconds: 1, bankSeconds: 1 };

/** Times of the service in which some reads bring nothing new, for tests that need such reads. */
export const SLOWER_SERVICE = { processingSeconds: 3, bankSeconds: 5 };

/**
 * The synthesized stack in the embedded AWS and the simulator, with one virtual clock for both. A test uses it as the partner and
 * as the operator. Time passes only in methods named `until…`.
 */
export class World extends WorldStorage {
  readonly simulator: Simulator;
  readonly clock: VirtualClock;
  readonly stepFunctions: SFNClient;
  readonly plainLines: PlainLines;
  private readonly signer: PartnerSigner;

  static async start(options: WorldOptions = {}): Promise<World> {
    const { settings, environment, statements, invokeWrapper, requestWrapper, deliveryWrapper, entryRefusal } = options;
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const simulator = await startSimulator({ now: () => clock.now(), settings: { ...LEAST_WORK, ...settings } });
    const plainLines = new PlainLines();
    const aws = await startLocalAws({
      assemblyDirectory: options.assemblyDirectory ?? inject('assemblyDirectory'),
      clock,
      // In virtual time, a sweep every few minutes would be most of what happens. A test of the sweep starts it.
      holdSchedules: true,
      onLog: plainLines.listen,
      ...(invokeWrapper && { invokeWrapper }),
      ...(requestWrapper && { requestWrapper }),
      ...(deliveryWrapper && { deliveryWrapper }),
      ...(entryRefusal && { entryRefusal }),
      ...(statements && { functionStatements: statements }),
      functionEnvironment: {
        // No source maps: nobody reads stack traces here, and parsing the maps takes time.
        NODE_OPTIONS: '',
        ORDER_SERVICE_URL: simulator.url,
        TOKEN_URL: `${simulator.authorizationUrl}/oauth2/token`,
        ...environment,
      },
    });
    const world = new World(aws, simulator, clock, plainLines);
    if (options.credentials !== false) await world.putOwnCredentials();
    return world;
  }

  private constructor(aws: LocalAws, simulator: Simulator, clock: VirtualClock, plainLines: PlainLines) {
    super(aws);
    this.plainLines = plainLines;
    this.simulator = simulator;
    this.clock = clock;
    this.stepFunctions = new SFNClient(aws.clientSettings);
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

  /** Empties the world for the next test file. Lets a day pass, so that every token has expired. */
  async forget(options: Pick<WorldOptions, 'settings'> = {}): Promise<void> {
    await this.aws.settle();
    await this.aws.forget();
    await this.aws.settle();
    this.signer.forget();
    this.simulator.forget({ ...LEAST_WORK, ...options.settings });
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
    const secrets = new SecretsManagerClient(this.aws.clientSettings);
    const SecretString = JSON.stringify(credentials);
    await secrets.send(new PutSecretValueCommand({ SecretId: this.outputs.CredentialsSecret, SecretString }));
  }

  /** The order's executions, oldest first. */
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

  /** Stops the order's execution, as an operator does. */
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

  /** The order's calls to the simulator. */
  async calls(orderRef: string): Promise<RecordedCall[]> {
    const orderId = (await this.record(orderRef))?.orderId;
    return this.simulator.calls().filter((call) => call.orderId === orderId);
  }

  /** Makes the partner's signer look into staging once and sign what it finds. */
  async sign(): Promise<void> {
    await this.signer.look();
  }

  /** Lets time pass until the record meets the condition. By default the signer signs meanwhile. */
  async until(
    orderRef: string,
    condition: (order: OrderItem) => boolean,
    { signing = true, limit = 60 * DAY }: { signing?: boolean; limit?: number } = {},
  ): Promise<OrderItem> {
    let order: OrderItem | undefined;
    // Most timers change nothing, so the record is read only after a write.
    let hasChanged = true;
    const stopWatching = this.aws.watch((change) => {
      hasChanged ||= this.writesRecord(change, orderRef);
    });
    const met = async () => {
      if (signing) await this.sign();
      if (hasChanged) {
        hasChanged = false;
        order = await this.record(orderRef);
      }
      return order !== undefined && condition(order);
    };
    await this.aws.runUntil(met, { limitMilliseconds: limit }).finally(stopWatching);
    await this.aws.settle();
    return order as OrderItem;
  }

  /** Lets time pass in steps shorter than a poll until the order at the service meets the condition, possibly before we read it. */
  async untilAtService(orderId: string, condition: (order: SimulatedOrder) => boolean): Promise<SimulatedOrder> {
    for (let steps = 0; steps < 10_000; steps += 1) {
      await this.aws.settle();
      const order = this.simulator.order(orderId);
      if (order && condition(order)) return order;
      this.clock.advanceTo(this.clock.now() + 500);
    }
    throw new Error(`The order ${orderId} at the service never met the condition.`);
  }

  /** Lets time pass until the order is final or waits for an operator. */
  async untilEnd(orderRef: string, options: { signing?: boolean; limit?: number } = {}): Promise<OrderItem> {
    return this.until(orderRef, ({ waitingFor }) => waitingFor === 'nobody' || waitingFor === 'operator', options);
  }
}
