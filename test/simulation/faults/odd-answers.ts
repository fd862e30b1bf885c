import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { SimulatorHooks } from '@business-loan-orders/order-simulator';
import type { OddKind, ServiceCall } from '../plan/order-plan.ts';

/** An answer that HTTP, OAuth or JSON allow. No order may need an operator because of it. */
export interface OddAnswer {
  /** The calls that may be answered so. `token`: the next request for a token. */
  calls: readonly (ServiceCall | 'token')[];
  /** How many such calls in a row. Default: 1. */
  times?: number;
  /** For so many seconds, all calls of the order are answered so. */
  seconds?: number;
  /** Whether the service does its work before. */
  isDone?: true;
  /** Returns the body. `payload` is the service's own, `now` is in milliseconds. */
  give(reply: Parameters<NonNullable<SimulatorHooks['before']>>[2], payload: unknown, now: number): unknown;
}

type Calls = OddAnswer['calls'];
type Headers = Record<string, string>;

const json: Calls = ['create', 'read', 'upload signature'];
const seen: Calls = ['read', 'download'];
const notCreation: Calls = [...seen, 'upload document', 'accept', 'upload signature', 'confirm'];
const all: Calls = ['create', ...notCreation];

const answered = (status: number, calls: Calls, headers: (now: number) => Headers = () => ({}), body = '') => ({
  calls,
  give: ((reply, _payload, now) => {
    reply.code(status).headers(headers(now));
    return body;
  }) satisfies OddAnswer['give'],
});
const page = (status: number, calls: Calls) =>
  answered(status, calls, () => ({ 'content-type': 'text/html' }), '<!doctype html><h1>We will be back soon</h1>');

/** The service's own answer, in other bytes. */
const rewritten = (calls: Calls, headers: Headers, rewrite: (payload: Buffer) => Buffer | string): OddAnswer => ({
  calls,
  isDone: true,
  give: (reply, payload) => {
    reply.headers(headers);
    return Buffer.from(rewrite(Buffer.from(payload as string)));
  },
});
const coded = (coding: string, encode: (payload: Buffer) => Buffer) =>
  rewritten([...json, 'download'], { 'content-encoding': coding }, encode);

/** `Retry-After` as services send it. A clock is a day off, also in `Date`. */
const DAY = 86_400_000;
const dated = (offset: number) => (now: number) => {
  const [date, after = ''] = [0, 60_000].map((more) => new Date(now + offset + more).toUTCString());
  return { 'retry-after': after, date: date ?? '' };
};
const waits: [string, (now: number) => Headers][] = [
  ['16 hours', () => ({ 'retry-after': '60000' })],
  ['an epoch', (now) => ({ 'retry-after': `${Math.floor(now / 1_000) + 60}` })],
  ['a clock ahead', dated(DAY)],
  ['a clock behind', dated(-DAY)],
];

const each = (statuses: number[], what: string, odd: (status: number) => OddAnswer) =>
  Object.fromEntries(statuses.map((status) => [`odd: ${status}${what}`, odd(status)]));

export const oddAnswers: Record<OddKind, OddAnswer> = {
  'odd: gzip': coded('gzip', gzipSync),
  'odd: deflate': coded('deflate', deflateSync),
  'odd: br': coded('br', brotliCompressSync),
  'odd: BOM': rewritten(json, {}, (payload) => `\uFEFF${payload}`),
  'odd: UTF-16': rewritten(json, { 'content-type': 'application/json;charset=utf-16le' }, (payload) =>
    Buffer.from(`${payload}`, 'utf16le'),
  ),
  'odd: name twice': rewritten(['read'], {}, (payload) => `${payload}`.replace('"company":', '"company":1,"company":')),
  ...each([200, 204, 207], ' for 202', (status) => ({ ...answered(status, ['accept', 'confirm']), isDone: true })),
  'odd: no signatureId': { ...answered(201, ['upload signature']), isDone: true },
  // A gateway, or a machine that has just started, tells nothing about the order.
  ...each([404, 410], '', (status) => answered(status, seen)),
  ...each([407, 408, 421, 423, 425, 499], '', (status) => answered(status, notCreation)),
  'odd: pages': { ...page(200, ['read']), times: 6 },
  'odd: page as file': page(200, ['download']),
  ...each([200, 202, 204, 302, 409], ' as file', (status) =>
    answered(status, ['download'], () => ({ location: '/elsewhere' })),
  ),
  'odd: new tokens refused': { ...answered(401, all), seconds: 180 },
  'odd: forbidden once': answered(403, ['accept']),
  ...Object.fromEntries(waits.map(([by, headers]) => [`odd: wait by ${by}`, answered(503, notCreation, headers)])),
  ...Object.fromEntries(waits.map(([by, headers]) => [`odd: token wait by ${by}`, answered(429, ['token'], headers)])),
  ...each([200, 400, 403], ' page as token', (status) => page(status, ['token'])),
};

export const oddAnswerOf = (kind: string): OddAnswer | undefined => oddAnswers[kind as OddKind];
