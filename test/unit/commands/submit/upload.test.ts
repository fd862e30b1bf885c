import type { S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { type FileToUpload, uploadFile } from '../../../../commands/submit/upload.ts';
import { startS3 } from '../../../../packages/embedded-aws/test/s3/s3-fixture.ts';
import { openFolder } from '../../../helpers/signer-files.ts';

const folder = openFolder();
const SIZE = 9 * 1024 * 1024;

/** A file of two parts. */
function largeFile(): FileToUpload {
  const path = folder.write('report.pdf', Buffer.alloc(SIZE, 7));
  return { path, name: 'report.pdf', size: SIZE, contentType: 'application/pdf', bucket: 'bucket', key: 'report.pdf' };
}

/** Counts the pages of parts that the client asks for. A listing without an end fails instead of going on for ever. */
function countPages(s3: S3Client): () => number {
  let pages = 0;
  s3.middlewareStack.add((next, { commandName }) => async (args) => {
    if (commandName === 'ListPartsCommand') pages += 1;
    if (pages > 10) throw new Error('The listing has no end.');
    return next(args);
  });
  return () => pages;
}

test('a file of several parts is stored, and its parts are listed once', async () => {
  const { s3, text } = await startS3();
  const pages = countPages(s3);
  await uploadFile(s3, largeFile(), () => undefined);
  expect(await text('report.pdf')).toHaveLength(SIZE);
  expect(pages()).toBe(1);
});
