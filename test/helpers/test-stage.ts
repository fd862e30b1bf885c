import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, ListObjectsV2Command, NoSuchKey, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import {
  GetExecutionHistoryCommand,
  type HistoryEvent,
  ListExecutionsCommand,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { LocalAws, VirtualClock } from '@business-loan-orders/embedded-aws';
import type { Simulator } from '@business-loan-orders/order-simulator';
import { type OpenStage, openStage, type StageOptions, type StageService } from '../../laptop/open-stage.ts';

type WrapperName = 'invokeWrapper' | 'requestWrapper' | 'deliveryWrapper' | 'entryRefusal';

export type Wrappers = { [Name in WrapperName]?: StageOptions[Name] | undefined };

export interface TestStageOptions extends Wrappers, Pick<StageOptions, 'key'> {
  /** Whether the secret gets the simulator's credentials; true by default. */
  credentials?: boolean;
  /** Variables of the functions that differ from the stack's. */
  environment?: Record<string, string>;
}

/** Opens a stage that collects the lines of functions that are no JSON objects: the runbook promises one JSON line an event. */
export async function openTestStage(
  service: StageService,
  {
    credentials,
    environment,
    ...options
  }: TestStageOptions & Pick<StageOptions, 'assemblyDirectory' | 'stack' | 'clock'>,
) {
  const wrappers = wrappersOf(options);
  const plainLines: string[] = [];
  const stage = await openStage(credentials === false ? { ...service, credentials: undefined } : service, {
    ...options,
    invokeWrapper: (name, event, invoke) => wrappers.invokeWrapper?.(name, event, invoke) ?? invoke(),
    requestWrapper: async (request, serve) => wrappers.requestWrapper?.(request, serve),
    deliveryWrapper: (event, deliver) => (wrappers.deliveryWrapper ?? deliverAtOnce)(event, deliver),
    entryRefusal: (entry) => wrappers.entryRefusal?.(entry),
    // No source maps: nobody reads stack traces here, and parsing the maps takes time.
    functionEnvironment: { NODE_OPTIONS: '', ...environment },
    onLog: ({ functionName, stream, line }) => {
      if (stream !== 'platform' && !isJsonObject(line)) plainLines.push(`${functionName}: ${line}`);
    },
  });
  return { ...stage, wrappers, plainLines };
}

export type OpenTestStage = Awaited<ReturnType<typeof openTestStage>>;

/** All wrappers of the options, those that are missing as undefined. */
export function wrappersOf({ invokeWrapper, requestWrapper, deliveryWrapper, entryRefusal }: Wrappers): Wrappers {
  return { invokeWrapper, requestWrapper, deliveryWrapper, entryRefusal };
}

const deliverAtOnce: NonNullable<Wrappers['deliveryWrapper']> = (_event, deliver) => deliver();

function isJsonObject(line: string): boolean {
  try {
    return line.startsWith('{') && JSON.parse(line) !== null;
  } catch {
    return false;
  }
}

/** A stage in the embedded AWS and the simulator, with one virtual clock for both. */
export class TestStage<Service extends Simulator = Simulator> {
  readonly aws: LocalAws;
  readonly outputs: Record<string, string>;
  readonly client: OpenStage['client'];
  readonly s3: S3Client;
  readonly stepFunctions: SFNClient;
  readonly putCredentials: OpenStage['putCredentials'];
  /** A test may change them at any time. They are reset after it. */
  readonly wrappers: Wrappers;
  readonly plainLines: string[];
  readonly simulator: Service;
  readonly clock: VirtualClock;
  readonly dynamodb: DynamoDBDocumentClient;

  constructor(stage: OpenTestStage, simulator: Service) {
    this.aws = stage.aws;
    this.outputs = stage.outputs;
    this.client = stage.client;
    this.s3 = stage.s3;
    this.stepFunctions = stage.stepFunctions;
    this.putCredentials = stage.putCredentials;
    this.wrappers = stage.wrappers;
    this.plainLines = stage.plainLines;
    this.simulator = simulator;
    this.clock = stage.aws.clock as VirtualClock;
    this.dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(stage.client), {
      marshallOptions: { removeUndefinedValues: true },
    });
  }

  async close(): Promise<void> {
    await this.aws.close();
    await this.simulator.close();
  }

  /** Uploads a file to a bucket, to intake by default. Returns its version. */
  async upload(Key: string, content: unknown, Bucket = this.outputs.IntakeBucket): Promise<string> {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    const Body = content instanceof Uint8Array ? content : Buffer.from(text);
    return (await this.s3.send(new PutObjectCommand({ Bucket, Key, Body }))).VersionId ?? '';
  }

  /** The bytes of a staged file. Throws NoSuchKey if it does not exist. */
  protected async download(Key: string): Promise<Buffer> {
    const { Body } = await this.s3.send(new GetObjectCommand({ Bucket: this.outputs.StagingBucket, Key }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  }

  async downloadText(Key: string): Promise<string | undefined> {
    try {
      return (await this.download(Key)).toString();
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  protected async listStaging(Prefix: string) {
    const list = new ListObjectsV2Command({ Bucket: this.outputs.StagingBucket, Prefix });
    return (await this.s3.send(list)).Contents ?? [];
  }

  /** All executions of a state machine, oldest first. */
  protected async executionsOf(stateMachineArn: string | undefined) {
    const list = new ListExecutionsCommand({ stateMachineArn, maxResults: 1000 });
    return ((await this.stepFunctions.send(list)).executions ?? []).reverse();
  }

  async history(executionArn: string | undefined): Promise<HistoryEvent[]> {
    const read = new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 });
    return (await this.stepFunctions.send(read)).events ?? [];
  }
}
