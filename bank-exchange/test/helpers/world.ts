import { DescribeExecutionCommand, type DescribeExecutionCommandOutput, type HistoryEvent } from '@aws-sdk/client-sfn';
import { type AwsRequest, type LocalAws, type RequestFault, VirtualClock } from '@business-loan-orders/embedded-aws';
import type { OpenStage } from '../../../laptop/open-stage.ts';
import {
  executionsOf,
  historyOf,
  type OpenTestStage,
  openTestStage,
  type TestStageOptions,
  type Wrappers,
  wrappersOf,
} from '../../../test/helpers/test-stage.ts';
import type { ExchangeRecord } from '../../commands/record.ts';
import { Bank } from '../../laptop/bank.ts';
import type { BookSettings } from '../../simulator/book.ts';
import {
  EXCHANGE_STACK,
  type ExchangeSimulator,
  exchangeService,
  startExchangeSimulator,
} from '../../simulator/index.ts';

/** The DynamoDB client of the SDK makes this many attempts before its function fails. */
const SDK_ATTEMPTS = 4;

export interface ExchangeWorldOptions extends Wrappers, Pick<TestStageOptions, 'environment'> {
  book?: Partial<BookSettings>;
}

/**
 * The stack of the bank exchange in the embedded AWS and the simulator, with one virtual clock for both. A test uses it as the bank.
 * Time passes only in `ended`, `run` and `answer`.
 */
export class ExchangeWorld extends Bank {
  readonly aws: LocalAws;
  readonly simulator: ExchangeSimulator;
  readonly clock: VirtualClock;
  readonly putCredentials: OpenStage['putCredentials'];
  readonly plainLines: string[];
  /** The events that the functions put on the bus. */
  readonly published: PublishedEvent[] = [];
  readonly #failures: AwsFailure[] = [];
  readonly #wrappers: OpenTestStage['wrappers'];
  readonly #defaults: BookSettings;
  #started = 0;

  static async start(assemblyDirectory: string): Promise<ExchangeWorld> {
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const simulator = await startExchangeSimulator({ now: () => clock.now() });
    const where = { stack: EXCHANGE_STACK, assemblyDirectory, clock };
    return new ExchangeWorld(await openTestStage(exchangeService(simulator), where), simulator, clock);
  }

  private constructor(stage: OpenTestStage, simulator: ExchangeSimulator, clock: VirtualClock) {
    super(stage.outputs, stage.client);
    this.aws = stage.aws;
    this.#wrappers = stage.wrappers;
    this.#defaults = { ...simulator.exchange.settings };
    this.putCredentials = stage.putCredentials;
    this.plainLines = stage.plainLines;
    this.simulator = simulator;
    this.clock = clock;
  }

  /** Empties the world for a file with these options. */
  async prepare({ book, environment = {}, ...wrappers }: ExchangeWorldOptions): Promise<void> {
    await this.forget();
    Object.assign(this.simulator.exchange.settings, book);
    this.aws.useFunctionVariables(environment);
    Object.assign(this.#wrappers, wrappersOf(wrappers), {
      requestWrapper: async (request, serve) => {
        const fault = failNext(this.#failures, request) ?? (await wrappers.requestWrapper?.(request, serve));
        if (!fault && request.operation === 'PutEvents') this.published.push(...eventsIn(request.body));
        return fault;
      },
    } satisfies ExchangeWorldOptions);
  }

  /** Empties the world for the next test. Lets a day pass, so that every token has expired. */
  async forget(): Promise<void> {
    const { aws, clock, simulator } = this;
    await aws.settle();
    await aws.forget();
    simulator.forget();
    simulator.exchange.forget();
    delete simulator.exchange.settings.requestsMember;
    Object.assign(simulator.exchange.settings, this.#defaults);
    this.published.length = 0;
    this.#started = 0;
    clock.advanceTo(clock.now() + 86_400_000);
    await this.putCredentials(exchangeService(simulator).credentials);
  }

  /** Starts the next execution. Returns its ARN. */
  async begin(input: Record<string, string>): Promise<string> {
    this.#started += 1;
    return this.start(input, `test-${this.#started}`);
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
  async run(input: Record<string, string>) {
    return this.ended(await this.begin(input));
  }

  /** Makes AWS fail the next request of this operation whose path or body contains `part`, in all attempts of the SDK. */
  failOnce(operation: string, part: string): void {
    this.#failures.push({ operation, part, left: SDK_ATTEMPTS });
  }

  executions() {
    return executionsOf(this.stepFunctions, this.outputs.ExchangeStateMachine);
  }

  history(executionArn: string | undefined): Promise<HistoryEvent[]> {
    return historyOf(this.stepFunctions, executionArn);
  }

  async item<Item extends object>(subject: string, item: string): Promise<Item | undefined> {
    return this.record.table.getItem<Item>({ subject, item });
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

/** An event that the exchange put on the default event bus. */
export interface PublishedEvent {
  type: string;
  detail: Record<string, unknown>;
}

/** Makes the next `left` requests of this operation fail, if their path or body contains `part`. */
export interface AwsFailure {
  operation: string;
  part: string;
  left: number;
}

/** The fault of this request, if one is due. */
export function failNext(failures: AwsFailure[], { operation, path, body }: AwsRequest): RequestFault | undefined {
  const due = failures.find(
    (one) => one.left > 0 && one.operation === operation && `${path}${body}`.includes(one.part),
  );
  if (due) due.left -= 1;
  return due && { status: 500, code: 'InternalServerError' };
}

export function eventsIn(body: string): PublishedEvent[] {
  const { Entries } = JSON.parse(body) as { Entries: { DetailType: string; Detail: string }[] };
  return Entries.map(({ DetailType, Detail }) => ({ type: DetailType, detail: JSON.parse(Detail) }));
}
