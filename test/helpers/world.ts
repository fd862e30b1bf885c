import { type HistoryEvent, StartExecutionCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { VirtualClock } from '@business-loan-orders/embedded-aws';
import {
  type RecordedCall,
  type SimulatedOrder,
  type SimulatorSettings,
  startSimulator,
} from '@business-loan-orders/order-simulator';
import { inject } from 'vitest';
import type { OrderItem } from '../../core/order/order-item.ts';
import { simulatedService } from '../../laptop/open-stage.ts';
import { PartnerSigner } from '../../laptop/people/partner-signer.ts';
import { KILLED, type Matches } from './faults.ts';
import { orderPackage, type PackageOptions } from './packages.ts';
import { openTestStage, type TestStageOptions } from './test-stage.ts';
import { WorldStorage } from './world-storage.ts';

export const DAY = 86_400_000;

/** Each document to sign costs a test a tenth of an order. A read that brings nothing new costs little less. */
const LEAST_WORK = { documentsToSign: 1, processingSeconds: 1, bankSeconds: 1 };

export interface WorldOptions extends TestStageOptions {
  /** A changed copy of the stack; by default the deployed stack. */
  assemblyDirectory?: string;
  settings?: Partial<SimulatorSettings>;
  /** Opens a new world in any case, for tests that count everything from the beginning. */
  isNew?: boolean;
  /** Executions go on from one test of the file to the next. Otherwise they end with their test, and cost the next ones nothing. */
  ordersGoOn?: boolean;
}

type Condition = (order: OrderItem) => boolean | Promise<boolean>;

/** Whether the signer signs meanwhile (default: yes), and how many milliseconds may pass. */
interface Wait {
  signing?: boolean;
  limit?: number;
}

export const waitsForSignatures = ({ waitingFor }: { waitingFor: string }) => waitingFor === 'signatures';

/** A test uses it as the partner and as the operator. Time passes only in methods named `until…`. */
export class World extends WorldStorage {
  private readonly signer = new PartnerSigner({
    s3: this.s3,
    stagingBucket: this.outputs.StagingBucket ?? '',
    watch: this.aws.watch,
    onSigned: () => undefined,
    onError: (error) => {
      throw error;
    },
  });

  static async start({ settings, ...options }: WorldOptions = {}): Promise<World> {
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const simulator = await startSimulator({ now: () => clock.now(), settings: { ...LEAST_WORK, ...settings } });
    const assemblyDirectory = options.assemblyDirectory ?? inject('assemblyDirectory');
    const stage = await openTestStage(simulatedService(simulator), { ...options, assemblyDirectory, clock });
    return new World(stage, simulator);
  }

  /** Empties the world for the next file or test. Lets a day pass, so that every token has expired. */
  async forget(settings: Partial<SimulatorSettings> = {}): Promise<void> {
    await this.aws.settle();
    await this.aws.reset();
    await this.aws.settle();
    this.signer.forget();
    this.simulator.reset({ ...LEAST_WORK, ...settings });
    this.clock.advanceTo(this.clock.now() + DAY);
    await this.putCredentials(simulatedService(this.simulator).credentials);
  }

  /** Uploads a whole package: the documents first, `order.json` last. */
  async submit(orderRef: string, options: PackageOptions = {}): Promise<void> {
    const content = orderPackage(options);
    for (const { file } of content.documents) await this.put(orderRef, file, `bytes of ${file} of ${orderRef}`);
    await this.put(orderRef, 'order.json', content);
  }

  async submitToSign(orderRef: string, options?: PackageOptions): Promise<OrderItem> {
    return this.submitUntil(orderRef, waitsForSignatures, options, { signing: false });
  }

  async submitUntil(orderRef: string, condition: Condition, options?: PackageOptions, wait?: Wait): Promise<OrderItem> {
    await this.submit(orderRef, options);
    return this.until(orderRef, condition, wait);
  }

  async submitToEnd(orderRef: string, options?: PackageOptions, wait?: Wait): Promise<OrderItem> {
    await this.submit(orderRef, options);
    return this.untilEnd(orderRef, wait);
  }

  /** The order's executions, oldest first. */
  async executions(orderRef: string) {
    const executions = await this.executionsOf(this.outputs.OrderStateMachine);
    return executions.filter(({ name }) => new RegExp(`^${orderRef}-\\d+$`).test(name ?? ''));
  }

  async histories(orderRef: string): Promise<HistoryEvent[]> {
    const executions = await this.executions(orderRef);
    return (await Promise.all(executions.map(({ executionArn }) => this.history(executionArn)))).flat();
  }

  /** Starts an execution of the order, whatever its record says. Returns its ARN. */
  async startExecution(orderRef: string, generation?: number, name = `${orderRef}-${generation}`) {
    const input = JSON.stringify({ orderRef, generation });
    const command = new StartExecutionCommand({ stateMachineArn: this.outputs.OrderStateMachine, name, input });
    return (await this.stepFunctions.send(command)).executionArn;
  }

  async startNext(orderRef: string): Promise<void> {
    const generation = ((await this.record(orderRef))?.generation ?? 0) + 1;
    await this.startExecution(orderRef, generation);
    await this.until(orderRef, (order) => order.generation === generation, { signing: false });
  }

  /** Starts the order's next execution, which dies before it claims the order. Returns the event of its end, which nobody hears yet. */
  async startUnclaimed(orderRef: string): Promise<(() => void)[]> {
    const generation = ((await this.record(orderRef))?.generation ?? 0) + 1;
    const { invokeWrapper, deliveryWrapper } = this.wrappers;
    const ends: (() => void)[] = [];
    this.wrappers.invokeWrapper = async () => KILLED;
    this.wrappers.deliveryWrapper = (event, deliver) => {
      if (event.source === 'aws.states') ends.push(deliver);
      else deliver();
    };
    await this.startExecution(orderRef, generation);
    await this.aws.settle();
    Object.assign(this.wrappers, { invokeWrapper, deliveryWrapper });
    return ends;
  }

  async stop(orderRef: string): Promise<void> {
    const { execution } = (await this.record(orderRef)) ?? {};
    await this.stepFunctions.send(new StopExecutionCommand({ executionArn: execution, error: 'AbortedByOperator' }));
  }

  async abort(orderRef: string): Promise<void> {
    await this.stop(orderRef);
    await this.aws.settle();
  }

  async calls(orderRef: string, matches: Matches = () => true): Promise<RecordedCall[]> {
    const orderId = (await this.record(orderRef))?.orderId;
    return this.simulator.calls().filter((call) => call.orderId === orderId && matches(call));
  }

  async pass(milliseconds: number): Promise<void> {
    const end = this.clock.now() + milliseconds;
    this.clock.setTimeout(() => undefined, milliseconds);
    await this.aws.runUntil(() => this.clock.now() >= end, { limitMilliseconds: milliseconds });
  }

  /** Makes the partner's signer look into staging once and sign what it finds. */
  async sign(): Promise<void> {
    await this.signer.look();
  }

  /** Lets time pass until the record meets the condition. By default the signer signs meanwhile. */
  async until(
    orderRef: string,
    condition: Condition,
    { signing = true, limit = 60 * DAY }: Wait = {},
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
      return order !== undefined && (await condition(order));
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

  async untilEnd(orderRef: string, wait?: Wait): Promise<OrderItem> {
    return this.until(orderRef, ({ waitingFor }) => waitingFor === 'nobody' || waitingFor === 'operator', wait);
  }
}
