import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Streebog } from '../streebog.ts';

const hasEngine = (() => {
  try {
    execFileSync('openssl', ['engine', 'gost', '-t'], { stdio: 'pipe' });
    return true;
  } catch {
    process.stderr.write('SKIPPED: digests by OpenSSL, because it has no GOST engine (libengine-gost-openssl).\n');
    return false;
  }
})();

/** RFC 6986, sections 10.1 and 10.2. The RFC prints numbers: their last octet is the first one of the message, and of the digest. */
const fromNumber = (hex: string) => Buffer.from(hex, 'hex').reverse();

const first = fromNumber(
  '323130393837363534333231303938373635343332313039383736353433323130393837363534333231303938373635343332313039383736353433323130',
);
const second = fromNumber(
  'fbe2e5f0eee3c820fbeafaebef20fffbf0e1e0f0f520e0ed20e8ece0ebe5f0f2f120fff0eeec20f120faf2fee5e2202ce8f6f3ede220e8e6eee1e8f0f2d1202ce8f0f2e5e220e5d1',
);

test.each<[32 | 64, Buffer, string]>([
  [
    64,
    first,
    '486f64c1917879417fef082b3381a4e211c324f074654c38823a7b76f830ad00fa1fbae42b1285c0352f227524bc9ab16254288dd6863dccd5b9f54a1ad0541b',
  ],
  [32, first, '00557be5e584fd52a449b16b0251d05d27f94ab76cbaa6da890b59d8ef1e159d'],
  [
    64,
    second,
    '28fbc9bada033b1460642bdcddb90c3fb3e56c497ccd0f62b8a2ad4935e85f037613966de4ee00531ae60f3b5a47f8dae06915d5f2f194996fcabf2622e6881e',
  ],
  [32, second, '508f7e553c06501d749a66fc28c6cac0b005746d97537fa85d9e40904efed29d'],
])('the digests of RFC 6986: %i octets', (length, message, digest) => {
  expect(new Streebog(length).update(message).digest().toString('hex')).toBe(fromNumber(digest).toString('hex'));
  const inParts = new Streebog(length);
  for (const octet of message) inParts.update(Buffer.of(octet));
  expect(inParts.digest()).toEqual(fromNumber(digest));
});

test.runIf(hasEngine)(
  'messages of all lengths around blocks, and one with carries in its sum, have the digests of OpenSSL',
  () => {
    const cwd = mkdtempSync(join(tmpdir(), 'streebog-'));
    onTestFinished(() => rmSync(cwd, { recursive: true }));
    const lengths = [0, 1, 31, 63, 64, 65, 127, 128, 129, 1000];
    const messages = [...lengths.map((length) => randomBytes(length)), Buffer.alloc(64 * 40, 0xff)];
    const files = messages.map((message, number) => {
      writeFileSync(join(cwd, `${number}`), message);
      return `${number}`;
    });
    for (const length of [32, 64] as const) {
      const command = ['dgst', '-engine', 'gost', `-md_gost12_${8 * length}`, '-r', ...files];
      const printed = execFileSync('openssl', command, { cwd, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] });
      const digests = messages.map((message) => {
        const half = message.length >> 1;
        const streebog = new Streebog(length).update(message.subarray(0, half)).update(message.subarray(half));
        return streebog.digest().toString('hex');
      });
      expect(digests).toEqual(printed.match(/^[0-9a-f]+/gm));
    }
  },
);
