import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  DescribeExecutionCommand,
  type DescribeExecutionCommandOutput,
  GetExecutionHistoryCommand,
  type HistoryEvent,
  ListExecutionsCommand,
} from '@aws-sdk/client-sfn';
import { type LocalAws, startLocalAws, VirtualClock } from '@business-loan-orders/embedded-aws';
import { PlainLines } from '../../../test/helpers/plain-lines.ts';
import type { WorldOptions } from '../../../test/helpers/world-options.ts';
import type { ExchangeRecord } from '../../commands/record.ts';
import { Bank } from '../../laptop/bank.ts';
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
export class ExchangeWorld extends Bank {
  readonly aws: LocalAws;
  readonly simulator: ExchangeSimulator;
  readonly clock: VirtualClock;
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
    super(aws.outputs[STACK] ?? {}, { ...aws.clientSettings, credentials: key });
    this.published = kept.published;
    this.failures = kept.failures;
    this.plainLines = kept.plainLines;
    this.aws = aws;
    this.simulator = simulator;
    this.clock = clock;
  }

  async close(): Promise<void> {
    await this.aws.close();
    await this.simulator.close();
  }

  async putCredentials(change: Record<string, string> = {}): Promise<void> {
    await new SecretsManagerClient(this.aws.clientSettings).send(
      new PutSecretValueCommand({
        SecretId: this.outputs.CredentialsSecret,
        SecretString: JSON.stringify({ ...credentialsOf(this.simulator), ...change }),
      }),
    );
  }

  /** Starts the next execution. Returns its ARN. */
  async begin(input: Record<string, string>): Promise<string> {
    this.started += 1;
    return this.start(input, `test-${this.started}`);
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
