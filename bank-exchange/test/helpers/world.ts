import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DescribeExecutionCommand, type DescribeExecutionCommandOutput } from '@aws-sdk/client-sfn';
import { VirtualClock } from '@business-loan-orders/embedded-aws';
import { startNextExecution } from '../../../commands/shared/executions.ts';
import { openTestStage, TestStage, type TestStageOptions, wrappersOf } from '../../../test/helpers/test-stage.ts';
import { ExchangeRecord } from '../../commands/connection.ts';
import type { RunItem } from '../../core/run.ts';
import type { BookSettings } from '../simulator/book.ts';
import {
  EXCHANGE_STACK,
  type ExchangeSimulator,
  simulatedExchange,
  startExchangeSimulator,
} from '../simulator/index.ts';

export interface ExchangeWorldOptions extends TestStageOptions {
  book?: Partial<BookSettings>;
}

export interface UploadAnswer {
  outcome: string;
  upload: string;
  versionId: string;
  problems?: { path: string; problem: string }[];
  failure?: { error: string; cause: string; next: string };
}

/** The stack and the simulator, with one virtual clock. Time passes only in `ended`, `run` and `answer`. */
export class ExchangeWorld extends TestStage<ExchangeSimulator> {
  readonly record = new ExchangeRecord(new DynamoDBClient(this.client), this.outputs.ExchangeTable ?? '');
  #started = 0;

  static async start(assemblyDirectory: string): Promise<ExchangeWorld> {
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const simulator = await startExchangeSimulator({ now: () => clock.now() });
    const where = { stack: EXCHANGE_STACK, assemblyDirectory, clock };
    return new ExchangeWorld(await openTestStage(simulatedExchange(simulator), where), simulator);
  }

  async prepare({ book, environment = {}, ...wrappers }: ExchangeWorldOptions): Promise<void> {
    await this.forget(book);
    this.aws.useFunctionVariables(environment);
    Object.assign(this.wrappers, wrappersOf(wrappers));
  }

  /** Empties the world for the next test. Lets a day pass, so that every token has expired. */
  async forget(book?: Partial<BookSettings>): Promise<void> {
    const { aws, clock, simulator } = this;
    await aws.settle();
    await aws.reset();
    simulator.reset();
    simulator.exchange.reset(book);
    this.#started = 0;
    clock.advanceTo(clock.now() + 86_400_000);
    await this.putCredentials(simulatedExchange(simulator).credentials);
  }

  /** The content of a staged file; null if it does not exist. */
  async stagedJson<Value>(key: string): Promise<Value> {
    return JSON.parse((await this.downloadText(key)) ?? 'null') as Value;
  }

  async stagedKeys(prefix: string): Promise<string[]> {
    return (await this.listStaging(prefix)).map(({ Key = '' }) => Key);
  }

  async stagedTexts(prefix: string): Promise<(string | undefined)[]> {
    return Promise.all((await this.stagedKeys(prefix)).map((key) => this.downloadText(key)));
  }

  async begin(input: Record<string, string>): Promise<string> {
    this.#started += 1;
    const { ExchangeStateMachine: stateMachineArn } = this.outputs;
    const start = { stateMachineArn, input: JSON.stringify(input), name: `test-${this.#started}` };
    return startNextExecution(this.stepFunctions, start);
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

  async run(input: Record<string, string>) {
    return this.ended(await this.begin(input));
  }

  executions() {
    return this.executionsOf(this.outputs.ExchangeStateMachine);
  }

  /** The histories of all executions, and all lines of logs: what people may read who may not read staging. */
  async readable(): Promise<string[]> {
    const executions = await this.executions();
    const histories = await Promise.all(executions.map(({ executionArn }) => this.history(executionArn)));
    return [JSON.stringify(histories), ...this.aws.logs().map(({ line }) => line)];
  }

  async item<Item extends object>(subject: string, item: string): Promise<Item | undefined> {
    return this.record.getItem<Item>({ subject, item });
  }

  findRun() {
    return this.item<RunItem>('exchange', 'run#fetch-requests');
  }

  /** Uploads a file, and lets time pass until this version of it is answered. */
  async send(key: string, content: unknown): Promise<UploadAnswer> {
    const versionId = await this.upload(key, content);
    return this.answer(key, (found) => found.versionId === versionId);
  }

  /** Lets time pass until staging has the file in a version that meets the condition. */
  async answer(key: string, condition: (answer: UploadAnswer) => boolean = () => true): Promise<UploadAnswer> {
    let answer: UploadAnswer | undefined;
    await this.aws.runUntil(async () => {
      answer = (await this.stagedJson<UploadAnswer | null>(key)) ?? undefined;
      return answer !== undefined && condition(answer);
    });
    await this.aws.settle();
    return answer as UploadAnswer;
  }
}
