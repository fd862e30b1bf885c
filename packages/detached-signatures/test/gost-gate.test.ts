import { expect, test } from 'vitest';
import { checkSignature } from '../signature-gate.ts';
import { kept } from './helpers/gost-files.ts';
import { check, GOST, REFUSED, table } from './helpers/gost-table.ts';
import { signersOf, tree, written } from './helpers/signature-tree.ts';

test.each(table)('%s with the authorities %j', async (name, authorities, verdict) => {
  expect(await check(kept.bytes(name), authorities)).toMatchObject(verdict);
});

test('text is decoded: the same bytes are stored and sent as from DER', async () => {
  const binary = kept.bytes('256-TCA.der');
  for (const name of ['256-TCA.der', 'base64.txt'])
    expect(await check(kept.bytes(name), GOST)).toMatchObject({ bytes: binary });
  const windows = Buffer.from(`\ufeff${binary.toString('base64').replace(/.{76}/g, '$&\r\n')}\r\n`);
  expect(await check(windows, GOST)).toMatchObject({ bytes: binary });
  const armoured = await check(kept.bytes('armoured.pem'), GOST);
  expect(armoured.passed && Buffer.from(armoured.bytes).subarray(0, 2).toString('hex')).toBe('3082');
});

test('the verdict names the signer for people, and says what was not checked', async () => {
  const signer = {
    name: 'Иванова Анна',
    organization: 'ООО «Ромашка»',
    inn: '7707083893',
    personInn: '500100732259',
    fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
  };
  expect(await check(kept.bytes('512-C.der'), GOST)).toMatchObject({ signers: [signer], notes: [] });
  const notes = [{ problem: expect.stringContaining('no authorities are configured') }];
  expect(await check(kept.bytes('512-C.der'), [])).toMatchObject({ signers: [signer], notes });
});

test.each(['256-TCA', '512-A'])('an altered value of %s is refused, and so is one out of range', async (name) => {
  const length = name.startsWith('256') ? 32 : 64;
  const zeros = Buffer.alloc(length);
  const most = Buffer.alloc(length, 0xff);
  const signature = tree(kept.bytes(`${name}.der`));
  const value = signersOf(signature)[0]?.value.at(-1) as { value: Buffer };
  const [s, r] = [value.value.subarray(0, length), value.value.subarray(length)];
  const changed = Buffer.from(value.value);
  changed[9] = (changed[9] as number) ^ 4;
  for (const bad of [changed, [zeros, r], [s, zeros], [most, r], [s, most], [r, s], [s], [s, r, s], []]) {
    value.value = Buffer.isBuffer(bad) ? bad : Buffer.concat(bad);
    const start = process.threadCpuUsage();
    expect(await check(written(signature), GOST)).toMatchObject(REFUSED('does not match'));
    const { user } = process.threadCpuUsage(start);
    expect(user / 1000).toBeLessThan(100);
  }
});

test('a GOST signature of a document that is too large to be digested in time is refused without reading it', async () => {
  const document = {
    size: 257 * 1024 * 1024,
    digest: () => Promise.reject(new Error('It was read.')),
    open: () => Promise.reject(new Error('It was read.')),
    findOwner: async () => undefined,
  };
  const gate = { level: 'check', authorities: [], now: new Date() } as const;
  expect(await checkSignature(kept.bytes('256-TCA.der'), document, gate)).toMatchObject({
    passed: false,
    problem: 'The document has 269484032 bytes. GOST signatures can be checked only for documents of up to 256 MiB.',
  });
});
