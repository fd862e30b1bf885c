import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { digestStream } from '../commands/sign/sign-order.ts';
import { openObject } from '../core/aws/storage.ts';
import { streamObject } from '../core/aws/stream-object.ts';
import { orderServiceClient } from '../core/order-service/order-service-client.ts';
import { digestingStream } from '../core/signing/digesting-stream.ts';
import { stageSettings } from '../infra/stages.ts';

/** The time of a transfer in milliseconds, and its memory in bytes beyond that of a small transfer. */
export interface Transfer {
  wall: number;
  memory: number;
}

const HOUR = 3_600_000;
const WARM_BYTES = 1024 * 1024;

const [kind = '', url = '', size = '0'] = process.argv.slice(2);
// With these variables, the functions' SDK clients call the server instead of AWS.
Object.assign(process.env, {
  AWS_ENDPOINT_URL: url,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
});
const options = {
  ...stageSettings('local').orderService,
  baseUrl: url,
  tokens: { token: async () => 'token', replace: async () => 'token' },
  callTimeout: HOUR,
  fileTimeout: HOUR,
  fileIdleTimeout: HOUR,
} as const;
const client = orderServiceClient(options, { subject: 'The bench', operation: 'transfer', requestId: 'r' });

/** Each function transfers a number of bytes from the server. All but `sign` send them back. */
const move = { pipe, upload, download, sign };

/** The minimum in Node: pipes one response into one request. */
async function pipe(bytes: number): Promise<void> {
  const agent = new Agent();
  const source = request(`${url}/${bytes}`, { agent }).end();
  const [body] = (await once(source, 'response')) as [IncomingMessage];
  const target = request(`${url}/sink`, { agent, method: 'POST', headers: { 'content-length': bytes } });
  const answered = once(target, 'response') as Promise<[IncomingMessage]>;
  await pipeline(body, target);
  const [answer] = await answered;
  answer.resume();
  await once(answer, 'end');
}

/** Like `upload-document`: sends an S3 object as a file in a form. */
async function upload(bytes: number): Promise<void> {
  const open = () => openObject({ bucket: 'intake', key: `orders/order/documents/${bytes}` });
  const file = { name: 'charter.pdf', contentType: 'application/pdf', size: bytes, open };
  await client.uploadDocument('order', { entityId: '1', sourceEntityId: '1', docType: 'CHARTER' }, file);
}

/** Like `download-document`: streams the document to S3 and computes three digests of it. */
async function download(bytes: number): Promise<void> {
  const { body, contentType = '' } = await client.downloadDocument('order', String(bytes));
  const count = digestingStream();
  const target = { bucket: 'staging', key: 'orders/order/to-sign/file', contentType };
  await Promise.all([streamObject({ ...target, body: count.stream }), pipeline(body, count.stream)]);
  count.digests();
  if (count.size() !== bytes) throw new Error(`${count.size()} of ${bytes} bytes arrived.`);
}

/** Like the command `sign`: reads an S3 object to sign its digest. */
async function sign(bytes: number): Promise<void> {
  const { Body } = await new S3Client({}).send(new GetObjectCommand({ Bucket: 'staging', Key: `file/${bytes}` }));
  await digestStream(Body as Readable);
}

async function main(): Promise<Transfer> {
  const moveBytes = move[kind as keyof typeof move];
  await moveBytes(WARM_BYTES);
  const [begun, idle] = [performance.now(), process.resourceUsage().maxRSS];
  await moveBytes(Number(size));
  return { wall: performance.now() - begun, memory: (process.resourceUsage().maxRSS - idle) * 1024 };
}

process.stdout.write(JSON.stringify(await main()), () => process.exit());
