import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetExecutionHistoryCommand, type HistoryEvent, paginateListExecutions, SFNClient } from '@aws-sdk/client-sfn';
import type { RecordedCall } from '../packages/order-simulator/index.ts';
import type { LaptopProcess } from './laptop-process.ts';

const EXAMPLE = 'two-offers';
const UPLOADS_AT_ONCE = 16;

/** The bench's own access key: its requests are not counted. */
export const BENCH_KEY = { accessKeyId: 'bench', secretAccessKey: 'bench' };

export interface PackageFile {
  name: string;
  content: Buffer;
  contentType: string;
}

/** The files of the measured example, `order.json` last. */
export function examplePackage(): PackageFile[] {
  const folder = fileURLToPath(new URL(`../examples/${EXAMPLE}/`, import.meta.url));
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => statSync(folder + file).isFile())
    .sort((one, other) => Number(one === 'order.json') - Number(other === 'order.json'))
    .map((name) => {
      const contentType = name.endsWith('.pdf') ? 'application/pdf' : 'application/json';
      return { name, content: readFileSync(folder + name), contentType };
    });
}

/** Uploads one package to intake, as a back office does. */
export async function uploadPackage(
  s3: S3Client,
  bucket: string,
  orderRef: string,
  files: PackageFile[],
): Promise<void> {
  for (const { name, content, contentType } of files) {
    const Key = `orders/${orderRef}/${name}`;
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: content, ContentType: contentType }));
  }
}

/** Acts as partner and operator of a running laptop: uploads packages, and reads calls and histories. */
export class LaptopClient {
  private readonly s3: S3Client;
  private readonly stepFunctions: SFNClient;
  private readonly service: string;
  private readonly outputs: Record<string, string>;

  static async of(laptop: LaptopProcess): Promise<LaptopClient> {
    const [, endpoint = ''] = await laptop.printed(/^Embedded AWS +(\S+)$/m);
    const [, service = ''] = await laptop.printed(/^Service +(\S+)/m);
    const settings = { endpoint, region: 'us-east-1', credentials: BENCH_KEY };
    const stacks = await new CloudFormationClient(settings).send(
      new DescribeStacksCommand({ StackName: 'LoanOrders-local' }),
    );
    const outputs = (stacks.Stacks?.[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [
      OutputKey,
      OutputValue,
    ]);
    return new LaptopClient(settings, service, Object.fromEntries(outputs));
  }

  private constructor(
    settings: { endpoint: string; region: string; credentials: typeof BENCH_KEY },
    service: string,
    outputs: Record<string, string>,
  ) {
    this.s3 = new S3Client(settings);
    this.stepFunctions = new SFNClient(settings);
    this.service = service;
    this.outputs = outputs;
  }

  /** Uploads the example under each of these names, several at a time. Returns when each was complete, in milliseconds since the epoch. */
  async upload(orderRefs: string[]): Promise<Map<string, number>> {
    const files = examplePackage();
    const uploadedAt = new Map<string, number>();
    const left = [...orderRefs];
    const work = async () => {
      for (let orderRef = left.shift(); orderRef !== undefined; orderRef = left.shift()) {
        await uploadPackage(this.s3, this.outputs.IntakeBucket ?? '', orderRef, files);
        uploadedAt.set(orderRef, Date.now());
      }
    };
    await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, work));
    return uploadedAt;
  }

  /** Every call that the simulator received. */
  async calls(): Promise<RecordedCall[]> {
    return (await (await fetch(`${this.service}/simulator/calls`)).json()) as RecordedCall[];
  }

  /** The histories of these orders' first executions, by order. */
  async histories(orderRefs: string[]): Promise<Map<string, HistoryEvent[]>> {
    const client = this.stepFunctions;
    const stateMachineArn = this.outputs.OrderStateMachine;
    const pages = await Array.fromAsync(paginateListExecutions({ client }, { stateMachineArn, maxResults: 1000 }));
    const arns = new Map(pages.flatMap(({ executions = [] }) => executions.map((one) => [one.name, one.executionArn])));
    const histories = new Map<string, HistoryEvent[]>();
    for (const orderRef of orderRefs) {
      const executionArn = arns.get(`${orderRef}-1`);
      const history = new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 });
      histories.set(orderRef, (await client.send(history)).events ?? []);
    }
    return histories;
  }
}
