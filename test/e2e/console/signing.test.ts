import { randomBytes } from 'node:crypto';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { BlobReader, TextWriter, ZipReader } from '@zip.js/zip.js';
import { beforeAll, expect, test } from 'vitest';
import type { OrderFacts, SignatureVerdict } from '../../../console/api.ts';
import { openConsole, refused } from '../../helpers/open-console.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { filesToSign, orderAtService, rejection, signatureOf, signed } from '../../helpers/signatures.ts';
import { zipped } from '../../helpers/signer-files.ts';

const world = await openWorld({ ordersGoOn: true, settings: { documentsToSign: 2 } });
const { get, read, ask } = await openConsole(world);
const ZIP = '/api/orders/sign/documents.zip?round=1';
let first: string;
let second: string;

beforeAll(async () => {
  await world.submit('sign', { offers: { choose: 'manual' } });
  [first = '', second = ''] = await filesToSign(world, 'sign');
});

const address = (fileId: string) => `/api/orders/sign/documents/${encodeURIComponent(fileId)}?round=1`;

const judge = (name: string, bytes: Uint8Array | string, more = '', orderRef = 'sign') =>
  ask<{ 0: SignatureVerdict }>(`/api/orders/${orderRef}/signatures?name=${encodeURIComponent(name)}${more}`, bytes);

/** The verdicts come as an array. */
async function drop(...file: Parameters<typeof judge>) {
  const { 0: only, ...rest } = await judge(...file);
  return { ...rest, ...only };
}

async function recorded(fileId: string): Promise<Record<'item' | 'sha256', string>> {
  const items = (await world.items('sign')) as { item: string; fileId?: string; sha256?: string }[];
  return items.find((found) => found.item.startsWith('to-sign#') && found.fileId === fileId) as never;
}

test('a document to sign is an attachment with the bytes of the service', async () => {
  const { orderId } = await orderAtService(world, 'sign');
  const content = await world.simulator.content(orderId, first);
  const response = await get(address(first));
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': expect.stringMatching(/^attachment; filename\*=UTF-8''application-1-\d\.pdf$/),
    'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    'x-content-type-options': 'nosniff',
  });
  expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(content))).toBe(true);
});

test('a document never comes to its end if its content is not what the record says, and the archive does not either', async () => {
  const [before, other] = [await recorded(first), await recorded(second)];
  await world.rewrite('sign', { sha256: other.sha256 }, before.item);
  for (const path of [address(first), ZIP])
    expect(await ask(path)).toEqual(refused('Do not sign it; ask who changed it.'));
  await world.rewrite('sign', before, before.item);
  await world.rewrite('sign', { sha256: before.sha256 }, other.item);
  // The archive has begun with the first document.
  const archive = get(ZIP).then((begun) => begun.arrayBuffer());
  await expect(archive).rejects.toThrow();
  await world.rewrite('sign', other, other.item);
  expect((await get(address(first))).status).toBe(200);
});

test('all documents come as one archive, once they are all staged', async () => {
  const { item, ...facts } = await recorded(first);
  const TableName = world.outputs.OrderTable;
  await world.dynamodb.send(new DeleteCommand({ TableName, Key: { orderRef: 'sign', item } }));
  expect(await ask(ZIP)).toEqual(refused('1 document of order sign must still be staged.'));
  await world.rewrite('sign', facts, item);
  const entries = await new ZipReader(new BlobReader(await (await get(ZIP)).blob())).getEntries();
  expect(entries.map(({ filename }) => filename).sort()).toEqual(['application-1-1.pdf', 'application-1-2.pdf']);
  for (const entry of entries) if (!entry.directory) expect(await entry.getData(new TextWriter())).toMatch(/^%PDF-/);
});

test('a dropped signature is judged by the gate, with the document that it fits, whatever its name is', async () => {
  const shown = await read<OrderFacts>('/api/orders/sign');
  const file = shown.toSign.find(({ fileId }) => fileId === second)?.name;
  const valid = await drop('x.p7s', await signed(world, 'sign', second));
  const signers = [expect.objectContaining({ name: 'Test signer' })];
  expect(valid).toEqual({ status: 200, name: 'x.p7s', passed: true, orderRef: 'sign', fileId: second, file, signers });
  const problems: [name: string, bytes: Uint8Array | string, problem: string][] = [
    [`${first}.sig`, 'no signature', 'It cannot be read as CMS SignedData: '],
    ['a.sig', '-----BEGIN CMS-----', 'It cannot be read as CMS SignedData: '],
    ['b.sig', await signatureOf(Buffer.from('another document')), ''],
    ['c.sig', '', 'It is empty.'],
    ['d.sig', Buffer.alloc(4 * 1024 * 1024 + 1), 'At most 4194304 are allowed'],
  ];
  const { orderId } = await orderAtService(world, 'sign');
  const base64 = Buffer.from((await world.simulator.content(orderId, first)).toString('base64'));
  problems.push([`${first}.p7s`, await signatureOf(base64), 'another form (Base64) of this document. Download']);
  for (const [name, bytes, problem] of problems)
    expect(await drop(name, bytes)).toMatchObject({ passed: false, problem: expect.stringContaining(problem) });
  expect(await drop(`${first}.sig`, 'no signature')).toMatchObject({ fileId: first });
});

test('of a dropped ZIP each signature is judged, other files are left out, and what cannot be unpacked is refused', async () => {
  const signature = await signed(world, 'sign', second);
  const nested = await zipped({ 'a.sig': signature });
  const base64 = Buffer.from(signature).toString('base64');
  const files: [name: string, content: string | Uint8Array, expected: object][] = [
    ['a.SIG', signature, { passed: true, fileId: second }],
    ['подписи/b.txt', base64, { passed: true, fileId: second }],
    ['c.sig', 'x', { code: expect.stringMatching(/^FORMAT_FAILURE/) }],
    ['d.sig', '', { code: 'signatureEmpty' }],
    ['e.sig', randomBytes(4 * 1024 * 1024 + 1), { code: 'signatureTooLarge' }],
    ['document.pdf', '%PDF-', { code: 'leftOut' }],
    ['large.pdf', randomBytes(4 * 1024 * 1024 + 1), { code: 'leftOut' }],
    ['empty.txt', '', { code: 'leftOut' }],
    ['nested.zip', nested, { code: 'leftOut' }],
    ['__MACOSX/a.sig', 'x', { code: 'leftOut' }],
  ];
  const { status, ...verdicts } = await judge('x', await zipped(Object.fromEntries(files)));
  const inside = files.map(([name, , expected]) => expect.objectContaining({ name, ...expected }));
  expect(Object.values(verdicts)).toEqual(inside);

  const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`${at}.sig`, 'x']));
  const large = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`${at}.sig`, Buffer.alloc(1024 * 1024)]));
  // The announced size is too small: in the header of the file, and in the directory.
  const bomb = await zipped({ 'a.sig': Buffer.alloc(1024 * 1024) });
  for (const at of [22, bomb.indexOf('PK\x01\x02', 0, 'latin1') + 24]) bomb.writeUInt32LE(100, at);
  const encrypted = await zipped({ 'a.sig': signature }, '-P', 'secret');
  for (const zip of [await zipped(many), await zipped(large), nested.subarray(0, -9), bomb, encrypted])
    expect(await drop('x.zip', zip)).toMatchObject({ passed: false, code: 'archiveUnreadable' });
});

test('a dropped signature is handed in only when a person says so, and the order goes on with it', async () => {
  await world.submit('handed-in', { offers: { choose: 'manual' } });
  const fileIds = await filesToSign(world, 'handed-in');
  expect(fileIds).toHaveLength(2);
  for (const more of ['', '&handIn=0']) {
    expect(await read('/api/orders/handed-in')).toMatchObject({ waitingFor: 'signatures' });
    for (const fileId of fileIds) {
      const verdict = await drop('a.sig', await signed(world, 'handed-in', fileId), more, 'handed-in');
      expect(verdict).toMatchObject({ passed: true, fileId });
    }
    await world.aws.settle();
  }
  await world.until('handed-in', (order) => order.waitingFor === 'decision', { signing: false });
  for (const fileId of fileIds) expect(await rejection(world, 'handed-in', fileId)).toBeUndefined();
  expect(await drop('x', 'x', '', 'handed-in')).toMatchObject(refused('there is nothing to sign'));
});
