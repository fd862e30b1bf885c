import fc from 'fast-check';
import { bytes, disturbed, text } from '../helpers/any-input.ts';

export interface TokenAnswer {
  status: number;
  headers: [string, string][];
  body: Uint8Array;
}

/** What a line of the answer's head can carry. */
const word = fc.oneof(
  text.map((value) => value.replace(/[^\x20-\x7e]/g, '').slice(0, 60)),
  fc.constantFrom('0', '1', '-1', '1e3', '99999999999', '9'.repeat(400)),
  fc.constantFrom('Wed, 21 Oct 2065 07:28:00 GMT', 'Thu, 01 Jan 1970'),
);
const NAMES = ['retry-after', 'content-type', 'location', 'x-request-id', 'www-authenticate', 'set-cookie', 'x-other'];
const header = fc.tuple(fc.constantFrom(...NAMES), word);
/** Headers that say something wrong about the body, or are wrong themselves. */
export const framing: fc.Arbitrary<[string, string]> = fc.constantFrom(
  ['content-length', '5'],
  ['content-length', '100000'],
  ['content-length', '-1'],
  ['transfer-encoding', 'chunked'],
  ['content-encoding', 'gzip'],
  ['x-long', 'x'.repeat(20_000)],
  ['bad name', 'x'],
);
const status = fc.oneof(
  { weight: 4, arbitrary: fc.constant(200) },
  fc.constantFrom(
    ...[100, 101, 103, 201, 204, 206, 301, 302, 304, 400, 401, 403, 404, 408, 429, 500, 502, 503, 504, 600, 999],
  ),
);
const token = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: fc.constantFrom(...'aZ9-._~+/='), minLength: 1, maxLength: 40 }) },
  fc.constantFrom('x'.repeat(12_288), 'x'.repeat(12_289), 'to\nken', 'to ken', 'токен'),
  text,
);
const members = {
  access_token: token,
  expires_in: fc.oneof(fc.double(), text, fc.constantFrom(0, -1, 1e308, '3600', '1e400', 5e-324)),
  token_type: fc.oneof(fc.constantFrom('Bearer', 'mac'), text),
  scope: text,
};
const body: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 3, arbitrary: fc.record(members).map((value) => Buffer.from(JSON.stringify(value))) },
  { weight: 2, arbitrary: disturbed(members).map((value) => Buffer.from(JSON.stringify(value))) },
  bytes,
  fc
    .constantFrom('', '\uFEFF{"access_token":"t"}', `${'['.repeat(100_000)}`, '<html>')
    .map((value) => Buffer.from(value)),
);
/** Answers of any status in which any field may be anything. */
export const tokenAnswers: fc.Arbitrary<TokenAnswer> = fc.record({
  status,
  headers: fc.array(header, { maxLength: 3 }),
  body,
});

export const headed = (head: string[], content: Uint8Array) =>
  Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), content]);
export const lines = (headers: [string, string][]) => headers.map(([name, value]) => `${name}: ${value}`);
/** The answer as bytes, with the right length. */
export const written = (given: TokenAnswer) =>
  headed([`HTTP/1.1 ${given.status} Any`, ...lines(given.headers), `content-length: ${given.body.length}`], given.body);
