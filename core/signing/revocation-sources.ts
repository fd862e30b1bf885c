import { createHash, type X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import {
  listsOf,
  type RevocationList,
  readRevocationLists,
} from '@business-loan-orders/detached-signatures/revocation';
import ipaddr from 'ipaddr.js';
import { orderTable } from '../aws/order-table.ts';
import { readObject } from '../aws/storage.ts';
import { sendRequest } from '../http/http.ts';
import { logger } from '../log.ts';
import { REVOCATION_LISTS } from '../package/intake-key.ts';
import { stackSettings } from '../settings.ts';
import type { SignatureSettings } from './gate.ts';

/** Addresses for a signer; bytes of an answer, and of one that fits into an item of the table. */
const [MOST_ADDRESSES, MOST_BYTES, MOST_KEPT] = [4, 16 * 1024 * 1024, 300 * 1024];
/** Milliseconds: of a request, and until an address is asked again. */
const [TIMEOUT, KEPT] = [5_000, 5 * 60_000];

interface Sources {
  from: string[];
  unknown: NonNullable<SignatureSettings['ifUnknown']>;
}

const sources = (): Sources => JSON.parse(stackSettings.revocation ?? '{"from":[],"unknown":"accept"}');

/** The gate with the lists that are not of the deployment. */
export function withSources(gate: SignatureSettings): SignatureSettings {
  const { from, unknown: ifUnknown } = sources();
  if (from.length === 0) return { ...gate, ifUnknown };
  const moreLists = async (certificate: X509Certificate) => {
    const addresses = from.flatMap((source) => (source === 'lists' ? listsOf(certificate) : source));
    return (await Promise.all(addresses.slice(0, MOST_ADDRESSES).map(listsAt))).flat();
  };
  return { ...gate, ifUnknown, revocationLists: gate.revocationLists ?? [], moreLists };
}

const known = new Map<string, { at: number; lists: Promise<RevocationList[]> }>();

/** None if the address does not answer, or with anything else. Then revocation may remain unknown. */
async function listsAt(address: string): Promise<RevocationList[]> {
  const { at, lists } = known.get(address) ?? { at: 0 };
  if (lists && Date.now() - at < KEPT) return lists;
  const read = (address === 'intake' ? listsInIntake() : answerOf(address)).then(readRevocationLists);
  const found = read.catch((error: Error) => {
    logger.warn('There are no lists of revoked certificates at an address', { address, why: error.message });
    return [];
  });
  known.set(address, { at: Date.now(), lists: found });
  return found;
}

async function listsInIntake(): Promise<Uint8Array> {
  const stored = await readObject({ bucket: stackSettings.intakeBucket, key: REVOCATION_LISTS });
  return stored?.bytes ?? Buffer.alloc(0);
}

/** The functions of the stage share the answers in the table. */
async function answerOf(address: string): Promise<Uint8Array> {
  const key = { orderRef: '#revocation', item: createHash('sha256').update(address).digest('hex') };
  const kept = await orderTable.getItem<{ at: number; bytes: Uint8Array }>(key);
  if (kept && Date.now() - kept.at < KEPT) return kept.bytes;
  const bytes = await call(new URL(address), sources().from.includes(address));
  if (bytes.length < MOST_KEPT) await orderTable.updateItem(key, { at: Date.now(), bytes });
  return bytes;
}

/** Follows no redirect. Only the stage may name a private address, or one without a name. */
async function call(url: URL, isOurs: boolean): Promise<Uint8Array> {
  if (!isOurs && /^\[|^[\d.]+$/.test(url.hostname)) throw new Error('it has no name');
  const bounds = { idleTimeout: TIMEOUT, totalTimeout: TIMEOUT, reuseConnection: false };
  const connecting = { ...bounds, ...(!isOurs && { lookup: publicLookup }) };
  const { status, body } = await sendRequest(async () => ({ method: 'GET', url, headers: {}, ...connecting }));
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (status !== 200 || size > MOST_BYTES) throw new Error(`status ${status}, ${size} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Fails before there is a connection. */
const publicLookup: LookupFunction = (host, options, found) =>
  lookup(host, { ...options, all: true }, (error, addresses = []) => {
    const isPublic = addresses.every(({ address }) => ipaddr.process(address).range() === 'unicast');
    found(error ?? (isPublic ? null : new Error('it is private')), addresses);
  });
