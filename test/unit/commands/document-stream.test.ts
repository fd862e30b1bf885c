import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { NamedDocument } from '../../../commands/documents.ts';
import type { Buckets } from '../../../commands/shared/buckets.ts';
import { openDocument } from '../../../commands/sign/document-stream.ts';

const PARTS = ['%PDF-1.7', ' to be', ' signed'];

function recorded(content: string): NamedDocument {
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { file: 'contract.pdf', key: 'key', versionId: 'v1', size: content.length, sha256 } as NamedDocument;
}

async function read(document: NamedDocument, parts: Iterable<string>): Promise<{ bytes: string; failed?: string }> {
  const bytesOf = function* () {
    for (const part of parts) yield Buffer.from(part);
  };
  const staged = Readable.from(bytesOf());
  const buckets = { openStaged: async () => staged } as unknown as Buckets;
  let bytes = '';
  try {
    for await (const chunk of await openDocument(buckets, document)) bytes += chunk;
    return { bytes };
  } catch (error) {
    return { bytes, failed: (error as Error).message };
  } finally {
    expect(staged.destroyed).toBe(true);
  }
}

test.each([[PARTS], [['one part']], [[]]])('a document as the record gives it comes whole: %j', async (parts) => {
  expect(await read(recorded(parts.join('')), parts)).toEqual({ bytes: parts.join('') });
});

test.each([
  ['its last part differs', ['%PDF-1.7', ' to be', ' SIGNED']],
  ['its first part differs', ['%PDF-9.9', ' to be', ' signed']],
  ['it came in one part', ['%PDF-1.7 to be SIGNED']],
  ['it goes on', [...PARTS, ' and more']],
  ['it goes on in the same part', [`${PARTS.join('')} and more`]],
  ['it ends early', ['%PDF-1.7', ' to be']],
  ['it is empty', []],
])('a document with other content never comes to its end: %s', async (_how, parts) => {
  const document = recorded(PARTS.join(''));
  const { bytes, failed } = await read(document, parts);
  expect(failed).toBe(
    'contract.pdf does not have the SHA-256 that the record gives. Do not sign it; ask who changed it.',
  );
  expect(bytes.length).toBeLessThan(document.size);
});

test('a document that cannot be read to its end breaks off with the reason', async () => {
  function* breaking() {
    yield '%PDF-1.7';
    throw new Error('The connection to S3 broke.');
  }
  expect(await read(recorded(PARTS.join('')), breaking())).toMatchObject({ failed: 'The connection to S3 broke.' });
});
