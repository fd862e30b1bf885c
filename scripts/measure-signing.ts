import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { synthesize } from '../laptop/synthesize.ts';
import { makeSigner, toPem } from '../packages/detached-signatures/certificates.ts';
import { type LocalAws, startLocalAws } from '../packages/embedded-aws/index.ts';

/**
 * Measures `loan-orders sign` with one large document. The command runs in its own process, the embedded AWS in this one.
 * Ends with exit code 1 if the command needs more memory than this.
 */
const LIMIT_MEGABYTES = 200;
const ORDER_REF = 'large';
const root = fileURLToPath(new URL('../', import.meta.url));
const { values } = parseArgs({ options: { mebibytes: { type: 'string', default: '1024' } } });

const directory = mkdtempSync(join(tmpdir(), 'measure-signing-'));
let aws: LocalAws | undefined;
try {
  await synthesize('local', join(directory, 'assembly'));
  aws = await startLocalAws({ assemblyDirectory: join(directory, 'assembly') });
  await stageDocument(aws, Number(values.mebibytes));
  const { seconds, megabytes } = await signMeasured(aws, writeSigner());
  process.stdout.write(`${values.mebibytes} MiB signed in ${seconds.toFixed(1)} s, peak ${megabytes} MB of memory\n`);
  if (megabytes >= LIMIT_MEGABYTES) process.exitCode = 1;
} finally {
  await aws?.close();
  rmSync(directory, { recursive: true, force: true });
}

/** Stages a document of the given size, as `download-document` and `await-signatures` do. */
async function stageDocument({ clientSettings, outputs }: LocalAws, mebibytes: number): Promise<void> {
  const { StagingBucket: Bucket, IntakeBucket = '' } = outputs['LoanOrders-local'] ?? {};
  const s3 = new S3Client({ ...clientSettings, requestChecksumCalculation: 'WHEN_REQUIRED' });
  const block = randomBytes(1024 * 1024);
  const hash = createHash('sha256');
  const body = function* () {
    for (let sent = 0; sent < mebibytes; sent += 1) {
      hash.update(block);
      yield block;
    }
  };
  const put = (name: string, Body: Readable | string, ContentLength = Buffer.byteLength(Body as string)) =>
    s3.send(new PutObjectCommand({ Bucket, Key: `orders/${ORDER_REF}/${name}`, Body, ContentLength }));
  const size = mebibytes * block.length;
  const { VersionId: versionId } = await put('to-sign/file', Readable.from(body(), { objectMode: false }), size);
  const document = {
    fileId: 'file',
    key: `orders/${ORDER_REF}/to-sign/file`,
    versionId,
    contentType: 'application/pdf',
    size,
    sha256: hash.digest('hex'),
    signature: `s3://${IntakeBucket}/orders/${ORDER_REF}/signatures/file.sig`,
  };
  await put('to-sign.json', JSON.stringify({ orderRef: ORDER_REF, round: 1, documents: [document] }));
  await put('status.json', JSON.stringify({ status: 'WAITING_FOR_SIGNATURE', waitingFor: 'signatures' }));
}

function writeSigner(): string[] {
  const { privateKey, certificate } = makeSigner('rsa-2048');
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(cert, toPem(certificate));
  return ['--key', key, '--cert', cert];
}

async function signMeasured({ endpoint }: LocalAws, signer: string[]): Promise<{ seconds: number; megabytes: number }> {
  const preload = ['--import', join(root, 'scripts/report-memory.ts')];
  const command = [join(root, 'bin/loan-orders.ts'), '--endpoint', endpoint, 'sign', ORDER_REF, ...signer];
  const started = performance.now();
  const signing = spawn(process.execPath, [...preload, ...command], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  const [peak, [code]] = await Promise.all([text(signing.stdio[3] as Readable), once(signing, 'close')]);
  if (code !== 0) throw new Error(`The command ended with exit code ${code}.`);
  return { seconds: (performance.now() - started) / 1000, megabytes: Math.ceil((Number(peak) * 1024) / 1e6) };
}
