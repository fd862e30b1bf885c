import { createWriteStream, readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';

/** Stands in for the AWS CLI, which need not be installed: runs the two commands that `sign --openssl` prints. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'endpoint-url': { type: 'string' },
    bucket: { type: 'string' },
    key: { type: 'string' },
    'version-id': { type: 'string' },
  },
});
const s3 = new S3Client({ endpoint: values['endpoint-url'] ?? '', region: process.env.AWS_DEFAULT_REGION ?? '' });
const [service, command, from = '', to = ''] = positionals;
if (service === 's3api' && command === 'get-object') {
  const object = { Bucket: values.bucket, Key: values.key, VersionId: values['version-id'] };
  const { Body } = await s3.send(new GetObjectCommand(object));
  await pipeline(Body as Readable, createWriteStream(from));
} else if (service === 's3' && command === 'cp') {
  const [, Bucket, Key] = /^s3:\/\/([^/]+)\/(.+)$/s.exec(to) ?? [];
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: readFileSync(from) }));
} else throw new Error(`Unknown: aws ${positionals.join(' ')}`);
