import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { DigestAlgorithm } from '@business-loan-orders/detached-signatures/create-signature';
import { digestOf as digestOfContent } from '@business-loan-orders/detached-signatures/digest';
import type { Owner } from '@business-loan-orders/detached-signatures/reasons';
import type { SignedDocument } from '@business-loan-orders/detached-signatures/signature-gate';
import type { RecordTable } from '../aws/record-table.ts';
import { BY_WAITING } from '../order/order-item.ts';
import { listToSign } from '../order/to-sign.ts';

/** The most bytes of a document whose forms are tried. All of them together have 26 times as many. */
const MOST = { sha: 8 * 1024 * 1024, streebog: 1024 * 1024 };
/** The most other orders whose documents are compared. Each takes one read. */
const MOST_ORDERS = 20;
const BOM = '\ufeff';

/**
 * Finds a form of the document with this digest: reads the document once. Then another order that waits for signatures and has such a
 * document: compares recorded digests of the last orders.
 */
export async function whatWasSigned(
  { digest: digestOf, open, size = 0 }: Pick<SignedDocument, 'digest' | 'open' | 'size'>,
  algorithm: DigestAlgorithm,
  digest: Buffer,
  table?: RecordTable,
): Promise<Owner | undefined> {
  const own = await digestOf(algorithm);
  const isIt = async (content: Buffer | string) =>
    digest.equals(await digestOfContent(Readable.from([Buffer.from(content)]), algorithm));
  const hex = own.toString('hex');
  for (const content of [own, hex, hex.toUpperCase(), `${hex}\n`, own.toString('base64')])
    if (await isIt(content)) return { form: algorithm.replace('sha', 'SHA-').replace('streebog', 'Streebog-') };
  const isSmall = size <= MOST[algorithm.startsWith('sha') ? 'sha' : 'streebog'];
  for (const [form, content] of isSmall ? formsOf(await buffer(await open())) : [])
    if (await isIt(content)) return { form };
  const orders = await table?.queryLast<{ orderRef: string }>(BY_WAITING, 'openFor', 'signatures', MOST_ORDERS);
  for (const { orderRef: order } of orders ?? [])
    if ((await listToSign(order, table)).some((one) => one[algorithm] === digest.toString('hex'))) return { order };
  return undefined;
}

function* formsOf(content: Buffer): Generator<[form: string, Buffer | string]> {
  const base64 = content.toString('base64');
  for (const end of ['\n', '\r\n'])
    for (const line of [/.{64}(?=.)/g, /.{76}(?=.)/g, /$^/g])
      for (const last of ['', end]) yield ['Base64', base64.replaceAll(line, `$&${end}`) + last];
  yield ['hex', content.toString('hex')];
  yield ['hex', content.toString('hex').toUpperCase()];
  const text = content.toString().replace(BOM, '');
  for (const start of ['', BOM]) yield ['UTF-16LE', Buffer.from(start + text, 'utf16le')];
  const lines = content.toString('latin1').replaceAll('\r\n', '\n');
  yield ['LF', Buffer.from(lines, 'latin1')];
  yield ['CRLF', Buffer.from(lines.replaceAll('\n', '\r\n'), 'latin1')];
  yield ['+BOM', Buffer.concat([Buffer.from(BOM), content])];
  if (content.indexOf(BOM) === 0) yield ['-BOM', content.subarray(Buffer.byteLength(BOM))];
}
