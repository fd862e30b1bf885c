import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OrderFacts, SignatureVerdict } from '../../../console/api.ts';
import { openConsole } from '../../helpers/open-console.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { filesToSign, orderAtService, rejection, signatureOf, signed } from '../../helpers/signatures.ts';

const PAGE = '<script>parent.document.body.remove()</script>';
const documentsToSign = 2;
const world = await openWorld({ ordersGoOn: true, settings: { documentsToSign } });
const { get, post, read } = await openConsole(world);
const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(world.aws.clientSettings));
let fileIds: string[] = [];

beforeAll(async () => {
  await submit(world, 'sign', { offers: { choose: 'manual' } });
  fileIds = await filesToSign(world, 'sign');
});

const address = (fileId: string, more = '') =>
  `/api/orders/sign/documents/${encodeURIComponent(fileId)}?round=1${more}`;

async function drop(name: string, bytes: Uint8Array | string, more = ''): Promise<SignatureVerdict> {
  const answer = await post(`/api/orders/sign/signatures?name=${encodeURIComponent(name)}${more}`, bytes);
  return (await answer.json()) as SignatureVerdict;
}

/** What the record says of a document. */
async function recorded(fileId: string): Promise<{ item: string; sha256: string }> {
  const items = (await world.items('sign')) as { item: string; fileId?: string; sha256?: string }[];
  return items.find((found) => found.item.startsWith('to-sign#') && found.fileId === fileId) as never;
}

async function record(item: string, sha256: string): Promise<void> {
  const change = { UpdateExpression: 'SET sha256 = :sha256', ExpressionAttributeValues: { ':sha256': sha256 } };
  await dynamodb.send(
    new UpdateCommand({ TableName: world.outputs.OrderTable, Key: { orderRef: 'sign', item }, ...change }),
  );
}

describe('a document to sign', () => {
  test('is an attachment of no type that a browser opens, with the bytes of the service', async () => {
    const [fileId = ''] = fileIds;
    const response = await get(address(fileId));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': expect.stringMatching(/^attachment; filename\*=UTF-8''application-1-\d\.pdf$/),
      'x-content-type-options': 'nosniff',
    });
    const { orderId } = await orderAtService(world, 'sign');
    const content = await world.simulator.content(orderId, fileId);
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(content))).toBe(true);
  });

  test('is an attachment also where it is asked for to be viewed: a browser never opens a PDF by itself', async () => {
    const { headers } = await get(address(fileIds[0] ?? '', '&view=yes'));
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('content-disposition')).toMatch(/^attachment/);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  test('never comes to its end if its content is not what the record says, and the archive does not either', async () => {
    const [fileId = '', other = ''] = fileIds;
    const { item, sha256 } = await recorded(fileId);
    await record(item, (await recorded(other)).sha256);
    const response = await get(address(fileId));
    expect(response.status).toBe(409);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toEqual({ error: expect.stringContaining('Do not sign it; ask who changed it.') });
    const archive = get('/api/orders/sign/documents.zip?round=1').then((begun) => begun.arrayBuffer());
    await expect(archive).rejects.toThrow();
    await record(item, sha256);
    expect((await get(address(fileId))).status).toBe(200);
  });

  test('all of them come as one archive, once they are all staged', async () => {
    const { TableName, item } = { TableName: world.outputs.OrderTable, ...(await recorded(fileIds[0] ?? '')) };
    const Item = (await world.items('sign')).find((found) => found.item === item);
    await dynamodb.send(new DeleteCommand({ TableName, Key: { orderRef: 'sign', item } }));
    const early = await get('/api/orders/sign/documents.zip?round=1');
    expect([early.status, await early.json()]).toEqual([
      409,
      { error: expect.stringContaining('1 document of order sign must still be staged.') },
    ]);
    await dynamodb.send(new PutCommand({ TableName, Item }));
    const response = await get('/api/orders/sign/documents.zip?round=1');
    const { ZipReader, BlobReader, TextWriter } = await import('@zip.js/zip.js');
    const entries = await new ZipReader(new BlobReader(await response.blob())).getEntries();
    expect(entries.map(({ filename }) => filename).sort()).toEqual(['application-1-1.pdf', 'application-1-2.pdf']);
    for (const entry of entries) if (!entry.directory) expect(await entry.getData(new TextWriter())).toMatch(/^%PDF-/);
  });
});

describe('a dropped signature', () => {
  test('is judged by the gate, with the document that it fits, whatever its name is', async () => {
    const [first = '', second = ''] = fileIds;
    const shown = await read<OrderFacts>('/api/orders/sign');
    const nameOf = (wanted: string) => shown.toSign.find(({ fileId }) => fileId === wanted)?.name;
    expect(await drop('x.p7s', await signed(world, 'sign', second))).toEqual({
      name: 'x.p7s',
      passed: true,
      fileId: second,
      file: nameOf(second),
    });
    expect(await drop(`${first}.sig`, 'no signature')).toMatchObject({
      passed: false,
      fileId: first,
      problem: expect.stringMatching(/^It cannot be read as CMS SignedData: /),
    });
    expect(await drop('a.sig', '-----BEGIN CMS-----')).toMatchObject({
      passed: false,
      problem: expect.stringContaining('It is PEM text.'),
    });
    expect(await drop('b.sig', await signatureOf(Buffer.from('another document')))).toMatchObject({ passed: false });
    expect(await drop('c.sig', '')).toMatchObject({ passed: false, problem: 'It is empty.' });
    expect(await drop('d.sig', Buffer.alloc(1024 * 1024 + 1))).toMatchObject({
      passed: false,
      problem: expect.stringContaining('At most 1048576 are allowed'),
    });
  });

  test('is handed in only when a person says so, and the order goes on with it', async () => {
    const { waitingFor } = await read<OrderFacts>('/api/orders/sign');
    expect(waitingFor).toBe('signatures');
    for (const [at, fileId] of fileIds.entries()) {
      const verdict = await drop(`${at}`, await signed(world, 'sign', fileId), '&handIn=yes');
      expect(verdict).toMatchObject({ passed: true, fileId });
    }
    await world.until('sign', (order) => order.waitingFor === 'decision', { signing: false });
    for (const fileId of fileIds) expect(await rejection(world, 'sign', fileId)).toBeUndefined();
    expect(await drop('x', 'x')).toEqual({ error: expect.stringContaining('there is nothing to sign') });
  });
});

test('a document that is a page is only downloaded, and one that is text is shown without rights', async () => {
  world.simulator.settings.documentTemplates = [
    { fileId: 'page', name: 'page.html', contentType: 'text/html', content: Buffer.from(PAGE) },
    { fileId: 'text', name: 'text.txt', contentType: 'text/plain', content: Buffer.from(PAGE) },
  ];
  await submit(world, 'foreign');
  await filesToSign(world, 'foreign');
  const page = await get('/api/orders/foreign/documents/page?view=yes');
  expect(page.headers.get('content-type')).toBe('application/octet-stream');
  expect(page.headers.get('content-disposition')).toMatch(/^attachment/);
  const text = await get('/api/orders/foreign/documents/text?view=yes');
  expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(text.headers.get('content-security-policy')).toMatch(
    /^sandbox; default-src 'none'; .*frame-ancestors 'self'$/,
  );
  expect(await text.text()).toBe(PAGE);
});
