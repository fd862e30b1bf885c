import { createHash, type X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { certificateParts, isNamedIssuer } from '@business-loan-orders/detached-signatures/certificate-parts';
import { ocspRequest, readOcspResponse, respondersOf } from '@business-loan-orders/detached-signatures/ocsp';
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

/** Addresses of each kind that a certificate names; bytes of an answer, and of one that fits into an item of the table. */
const [MOST_ADDRESSES, MOST_BYTES, MOST_KEPT] = [4, 8 * 1024 * 1024, 300 * 1024];
/** Milliseconds: of a request, and until an address is asked again. */
const [TIMEOUT, KEPT] = [5_000, 5 * 60_000];

type Sources = { from: (string | { ocsp: string })[]; unknown: NonNullable<SignatureSettings['ifUnknown']> };
const sources = (): Sources => JSON.parse(stackSettings.revocation ?? '{"from":[],"unknown":"accept"}');
const isWeb = (address: string) => /^https?:/i.test(address);

/** The gate with the lists that are not of the deployment. */
export function withSources(gate: SignatureSettings): SignatureSettings {
  const { from, unknown: ifUnknown } = sources();
  if (from.length === 0) return { ...gate, ifUnknown };
  const moreLists = async (certificate: X509Certificate, issuers: readonly X509Certificate[]) => {
    const issuer = issuers.find((one) => one.ca && isNamedIssuer(certificateParts(one), certificateParts(certificate)));
    if (!issuer) return [];
    const read = async (bytes: Uint8Array) => [await readOcspResponse(Buffer.from(bytes), certificate, issuer)];
    const responder = (address: string) => ({ address, read, request: ocspRequest(certificate, issuer) });
    const list = (address: string) => ({ address, read: readRevocationLists });
    const all: Question[] = from.flatMap((source) => {
      if (source === 'lists') return listsOf(certificate).filter(isWeb).slice(0, MOST_ADDRESSES).map(list);
      if (source === 'ocsp') return respondersOf(certificate).filter(isWeb).slice(0, MOST_ADDRESSES).map(responder);
      return typeof source === 'object' ? responder(source.ocsp) : list(source);
    });
    return (await Promise.all(all.map(listsAt))).flat();
  };
  return { ...gate, ifUnknown, revocationLists: gate.revocationLists ?? [], moreLists };
}

interface Question {
  address: string;
  read(bytes: Uint8Array): RevocationList[] | Promise<RevocationList[]>;
  /** Of OCSP. */
  request?: Buffer;
}

const known = new Map<string, { at: number; lists: Promise<RevocationList[]> }>();

/** None if the address does not answer, or with anything else. Then revocation may remain unknown. */
async function listsAt({ address, read, request }: Question): Promise<RevocationList[]> {
  const name = `${address} ${request?.toString('hex') ?? ''}`;
  const { at, lists } = known.get(name) ?? { at: 0 };
  if (lists && Date.now() - at < KEPT) return lists;
  const answer = address === 'intake' ? listsInIntake() : answerOf(name, address, request);
  const found = answer.then(read).catch((error: Error) => {
    logger.warn('There are no lists of revoked certificates at an address', { address, why: error.message });
    return [];
  });
  known.set(name, { at: Date.now(), lists: found });
  return found;
}

async function listsInIntake(): Promise<Uint8Array> {
  const stored = await readObject({ bucket: stackSettings.intakeBucket, key: REVOCATION_LISTS });
  return stored?.bytes ?? Buffer.alloc(0);
}

/** The functions of the stage share the answers in the table. */
async function answerOf(name: string, address: string, request?: Buffer): Promise<Uint8Array> {
  const key = { orderRef: '#revocation', item: createHash('sha256').update(name).digest('hex') };
  const kept = await orderTable.getItem<{ at: number; bytes: Uint8Array }>(key);
  if (kept && Date.now() - kept.at < KEPT) return kept.bytes;
  const isOurs = sources().from.some((source) => address === (typeof source === 'object' ? source.ocsp : source));
  const bytes = await call(new URL(address), isOurs, request);
  if (bytes.length < MOST_KEPT) await orderTable.updateItem(key, { at: Date.now(), bytes });
  return bytes;
}

/** Follows no redirect. Only the stage may name a private address, or one without a name. */
async function call(url: URL, isOurs: boolean, request?: Buffer): Promise<Uint8Array> {
  if (!isOurs && /^\[|^[\d.]+$/.test(url.hostname)) throw new Error('it has no name');
  const bounds = { idleTimeout: TIMEOUT, totalTimeout: TIMEOUT, reuseConnection: false };
  const connecting = { ...bounds, ...(!isOurs && { lookup: publicLookup }) };
  const headers = { 'content-type': 'application/ocsp-request', 'content-length': request?.length ?? 0 };
  const { status, body } = await sendRequest(async () =>
    request
      ? { method: 'POST', url, headers, body: request, ...connecting }
      : { method: 'GET', url, headers: {}, ...connecting },
  );
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
