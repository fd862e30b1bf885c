import { createHash, createPublicKey, sign } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { DeleteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetPublicKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Fault } from '../../commands/evidence/fault.ts';
import { createDetachedSignature } from '../../functions/shared/cms/create-signature.ts';
import { certify, makeAuthority, makeSigner, toPem } from '../../local/people/certificates.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { openWorld } from '../helpers/open-world.ts';
import { secretWords, submit } from '../helpers/packages.ts';
import { openFolder, run as runProgram, verifyWithOpenssl } from '../helpers/signer-files.ts';
import { edit, type Files, filesOf, pack, packCompressed, rechained, replaced } from '../helpers/tampered-archive.ts';

const DOCUMENT = 'package/documents/charter.pdf';
const ORDER_JSON = 'package/order.json';
const TO_SIGN = 'to-sign/round-1/application-1-1.pdf';
const SIGNATURE = 'signatures/round-1/application-1-1.pdf.p7s';
const OTHER_SIGNATURE = 'signatures/round-1/application-1-2.pdf.p7s';
const TIMELINE = 'record/timeline.json';
const MANIFEST = 'manifest.json';
const MANIFEST_SIGNATURE = 'manifest.json.p7s';

const world = await openWorld({ settings: { documentsToSign: 2 } });
const folder = openFolder();
const authority = makeAuthority();
const paths = {
  archive: folder.path('order.zip'),
  tampered: folder.path('tampered.zip'),
  authority: folder.write('authority.pem', toPem(authority.certificate)),
};
const run = (...args: string[]) => loanOrders(['--local', '--endpoint', world.aws.endpoint, ...args]);
let original: Files = new Map();

beforeAll(async () => {
  await submit(world, 'ordinary', { documents: ['charter.pdf', 'balance.pdf'] });
  await world.untilEnd('ordinary');
  expect(await run('evidence', 'ordinary', '--out', paths.archive)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no certificate chain for it in intake. No archive was written.'),
  });
  await putChain();
  expect(await run('evidence', 'ordinary', '--out', paths.archive)).toMatchObject({ code: 0, stderr: '' });
  original = await filesOf(paths.archive);
});

/** Does what a partner does once: gets a certificate for the stage's key, and uploads the chain to intake. */
async function putChain(): Promise<void> {
  const kms = new KMSClient(world.aws.directClientSettings);
  const { PublicKey = new Uint8Array() } = await kms.send(new GetPublicKeyCommand({ KeyId: world.outputs.SigningKey }));
  const key = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
  const { certificate } = certify(key, authority, { commonName: 'Loan orders' });
  const Body = toPem(certificate) + toPem(authority.certificate);
  const { IntakeBucket: Bucket } = world.outputs;
  await world.s3.send(new PutObjectCommand({ Bucket, Key: 'signing/certificate-chain.pem', Body }));
}

/** Checks an archive as anybody can: without a laptop. */
async function verify(path: string, ...more: string[]) {
  const { code, stdout } = await loanOrders(['--json', 'evidence', '--verify', path, ...more]);
  const { faults, ...facts } = JSON.parse(stdout) as { faults: Fault[]; signed?: boolean };
  return { code, facts, faults: faults.map(({ file, fault }) => (file ? `${file}: ${fault}` : fault)) };
}

describe('the archive of an order', () => {
  test('is whole, and its manifest is signed by the key of the stage', async () => {
    const { code, faults, facts } = await verify(paths.archive, '--cert', paths.authority);
    expect({ code, faults }).toEqual({ code: 0, faults: [] });
    expect(facts).toMatchObject({
      orderRef: 'ordinary',
      signed: true,
      validSignatures: 2,
      signer: { subject: 'CN=Loan orders', isPinned: true },
    });
    const { stdout } = await loanOrders(['evidence', '--verify', paths.archive]);
    expect(stdout).toContain("The certificate is the archive's own: compare its SHA-256 ");
  });

  test('says on its page who decided and when', () => {
    expect(String(original.get('index.html'))).toMatch(/<p>Decided at [\d-]+ [\d:]+Z by the rule\./);
  });

  test('has a manifest that OpenSSL verifies, and files that sha256sum and unzip agree on', async () => {
    await runProgram('unzip', ['-q', paths.archive, '-d', folder.path('unpacked')]);
    await verifyWithOpenssl({
      signature: folder.path(`unpacked/${MANIFEST_SIGNATURE}`),
      document: folder.path(`unpacked/${MANIFEST}`),
      authority: paths.authority,
    });
    const { files } = JSON.parse(readFileSync(folder.path(`unpacked/${MANIFEST}`), 'utf8'));
    for (const { path, sha256 } of files)
      expect(
        createHash('sha256')
          .update(readFileSync(folder.path(`unpacked/${path}`)))
          .digest('hex'),
        path,
      ).toBe(sha256);
  });

  test('holds what was sent, and tells a lawyer of it on a page that runs nothing', async () => {
    expect(String(original.get(ORDER_JSON))).toContain(secretWords.company);
    expect(String(original.get(DOCUMENT))).toBe('bytes of documents/charter.pdf of ordinary');
    const { orderId = '' } = (await world.record('ordinary')) ?? {};
    const page = String(original.get('index.html'));
    for (const words of [
      orderId,
      'Valid when it was sent',
      'CN=Laptop signer',
      'FIRST-12',
      'confirmed',
      'Status CLOSED',
    ])
      expect(page).toContain(words);
    expect(page).not.toMatch(/<script|javascript:|http:/);
    const everything = [...original.values()].join('\n');
    expect(everything).not.toContain(world.simulator.settings.clientSecret);
    expect(everything).not.toContain('callback#');
  });

  test('is the same once more, but for when and by whom it was written', async () => {
    const again = folder.path('again.zip');
    expect(await run('evidence', 'ordinary', '--out', again, '--unsigned')).toMatchObject({ code: 0 });
    const files = await filesOf(again);
    for (const [path, bytes] of original) if (!path.startsWith(MANIFEST)) expect(files.get(path), path).toEqual(bytes);
    expect(await verify(again)).toMatchObject({ code: 0, faults: [], facts: { signed: false } });
    const { stdout } = await loanOrders(['evidence', '--verify', again]);
    expect(stdout).toContain('The manifest is NOT signed (whoever wrote it asked for that)');
  });

  test('is never written over a file', async () => {
    const before = readFileSync(paths.archive);
    const { code, stderr } = await run('evidence', 'ordinary', '--out', paths.archive);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('it was not overwritten') });
    expect(readFileSync(paths.archive)).toEqual(before);
    expect(existsSync(`${paths.archive}.part`)).toBe(false);
  });
});

describe('on AWS', () => {
  const as = (person: string) =>
    loanOrders(['--stage', 'local', 'evidence', 'ordinary', '--out', folder.path(`by-${person}.zip`)], {
      ...world.aws.environment,
      AWS_ACCESS_KEY_ID: person,
    });

  test('an auditor writes a signed archive only if the policy for it is attached, too', async () => {
    const { AuditorPolicy = '', EvidenceSignerPolicy = '' } = world.outputs;
    world.aws.addPerson('auditor-alone', AuditorPolicy);
    world.aws.addPerson('auditor-who-signs', AuditorPolicy, EvidenceSignerPolicy);
    const refused = "These credentials may not use the stage's KMS key. No archive was written.";
    const [refusal, signed] = await Promise.all([as('auditor-alone'), as('auditor-who-signs')]);
    expect(refusal).toMatchObject({ code: 1, stderr: expect.stringContaining(refused) });
    expect(signed).toMatchObject({ code: 0, stderr: '' });
    const found = await verify(folder.path('by-auditor-who-signs.zip'), '--cert', paths.authority);
    expect(found).toMatchObject({ faults: [], facts: { writtenBy: 'auditor-who-signs', signed: true } });
  });
});

/** A changed copy of a file: its last byte is another one. */
function flipped(bytes: Buffer | undefined): Buffer {
  const changed = Buffer.from(bytes ?? '');
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  return changed;
}

const withFile = (path: string, bytes: Buffer) => pack(paths.tampered, new Map(original).set(path, bytes));

/** The timeline after a change of its lines, with a manifest whose hashes fit. */
function withTimeline(change: (lines: Record<string, unknown>[]) => unknown[]): Promise<string> {
  const text = Buffer.from(JSON.stringify(change(JSON.parse(String(original.get(TIMELINE))))));
  return pack(paths.tampered, rechained(new Map(original).set(TIMELINE, text), listAs(TIMELINE, text)));
}

/** Lists other bytes for a file of the manifest. */
function listAs(path: string, bytes: Buffer): Parameters<typeof rechained>[1] {
  const digest = { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  return ({ files }) => void Object.assign(files.find((file) => file.path === path) ?? {}, digest);
}

/** A manifest that somebody else signed. */
async function signedByAnother(files: Files): Promise<Buffer> {
  const { privateKey, certificate, keyType } = makeSigner('p-256');
  const digest = createHash('sha256')
    .update(files.get(MANIFEST) ?? '')
    .digest();
  const signed = async (data: Uint8Array) => sign('sha256', data, privateKey);
  const request = { digest, digestAlgorithm: 'sha256', keyType, certificates: [certificate], sign: signed } as const;
  return Buffer.from(await createDetachedSignature({ ...request, signingTime: new Date() }));
}

const SIGNATURE_WRONG = `${MANIFEST_SIGNATURE}: manifest signature wrong`;

/** How an archive is tampered with, and what the check says of it. */
const tamperings: [name: string, tamper: () => Promise<string> | string, faults: string[]][] = [
  ['a document changed', () => withFile(DOCUMENT, flipped(original.get(DOCUMENT))), [`${DOCUMENT}: changed`]],
  [
    'a file removed',
    () => {
      const files = new Map(original);
      files.delete('offers/offers.json');
      return pack(paths.tampered, files);
    },
    ['offers/offers.json: removed'],
  ],
  [
    'a file added',
    () => withFile('package/documents/waiver.pdf', Buffer.from('new')),
    ['package/documents/waiver.pdf: added'],
  ],
  [
    'a document changed, and its digest in the manifest',
    () => {
      const bytes = flipped(original.get(DOCUMENT));
      const before = createHash('sha256')
        .update(original.get(DOCUMENT) ?? '')
        .digest('hex');
      const after = createHash('sha256').update(bytes).digest('hex');
      const manifest = Buffer.from(String(original.get(MANIFEST)).replace(before, after));
      return pack(paths.tampered, new Map(original).set(DOCUMENT, bytes).set(MANIFEST, manifest));
    },
    [`${MANIFEST}: chain broken`, SIGNATURE_WRONG],
  ],
  [
    'a document changed, and the manifest with its whole chain',
    () => {
      const bytes = flipped(original.get(DOCUMENT));
      return pack(paths.tampered, rechained(new Map(original).set(DOCUMENT, bytes), listAs(DOCUMENT, bytes)));
    },
    [SIGNATURE_WRONG],
  ],
  [
    'the manifest written anew and signed by somebody else',
    async () => {
      const files = rechained(original, ({ about }) => void Object.assign(about, { stage: 'prod' }));
      return pack(paths.tampered, files.set(MANIFEST_SIGNATURE, await signedByAnother(files)));
    },
    [`${MANIFEST_SIGNATURE}: certificate wrong`],
  ],
  [
    'the signature of the manifest removed',
    () => {
      const files = rechained(original, ({ about }) => void Object.assign(about, { signed: false }));
      files.delete(MANIFEST_SIGNATURE);
      return pack(paths.tampered, files);
    },
    [`${MANIFEST_SIGNATURE}: manifest signature missing`],
  ],
  [
    'a detached signature replaced by that of another document, and the manifest signed anew',
    async () => {
      const bytes = original.get(OTHER_SIGNATURE) ?? Buffer.alloc(0);
      const files = rechained(new Map(original).set(SIGNATURE, bytes), listAs(SIGNATURE, bytes));
      return pack(paths.tampered, files.set(MANIFEST_SIGNATURE, await signedByAnother(files)));
    },
    [`${MANIFEST_SIGNATURE}: certificate wrong`, `${SIGNATURE}: detached signature wrong`],
  ],
  [
    'a signed document changed',
    () => withFile(TO_SIGN, flipped(original.get(TO_SIGN))),
    [`${TO_SIGN}: changed`, `${SIGNATURE}: detached signature wrong`],
  ],
  [
    'a line of the timeline removed',
    () => withTimeline((lines) => lines.filter(({ number }) => number !== 3)),
    [SIGNATURE_WRONG, `${TIMELINE}: timeline line removed`],
  ],
  [
    'a line of the timeline changed',
    () =>
      withTimeline((lines) =>
        lines.map((line) => (line.number === 3 ? { ...line, at: '2025-12-31T00:00:00.000Z' } : line)),
      ),
    [SIGNATURE_WRONG, `${TIMELINE}: timeline line changed`],
  ],
  [
    'two lines of the timeline in another order',
    () => withTimeline(([one, other, ...rest]) => [other, one, ...rest]),
    [SIGNATURE_WRONG, `${TIMELINE}: timeline line moved`],
  ],
  [
    'the archive truncated',
    () => edit(paths.archive, paths.tampered, (bytes) => bytes.subarray(0, -30)),
    ['not a whole archive', `${MANIFEST}: manifest unreadable`],
  ],
  [
    'two files with one name',
    async () => {
      const path = await withFile('package/order.jsom', Buffer.from('{}'));
      return edit(path, path, (bytes) => replaced(bytes, 'package/order.jsom', ORDER_JSON));
    },
    [`${ORDER_JSON}: name twice`],
  ],
  [
    'a file outside of the folder',
    () => withFile('../../evil.sh', Buffer.from('#!')),
    ['../../evil.sh: unsafe name', '../../evil.sh: added'],
  ],
  [
    'a second manifest',
    () => withFile(`other/${MANIFEST}`, original.get(MANIFEST) ?? Buffer.alloc(0)),
    [`other/${MANIFEST}: second manifest`],
  ],
  [
    'a file that unpacks to far more than it is',
    () => packCompressed(paths.tampered, new Map([['bomb.bin', Buffer.alloc(5_000_000)]])),
    ['bomb.bin: compressed', `${MANIFEST}: manifest unreadable`],
  ],
  [
    'the size of a file in the list',
    () =>
      edit(paths.archive, paths.tampered, (bytes) => {
        const at = bytes.lastIndexOf(ORDER_JSON) - 46;
        bytes.writeUInt32LE(0x7fffffff, at + 20);
        bytes.writeUInt32LE(0x7fffffff, at + 24);
        return bytes;
      }),
    [`${ORDER_JSON}: wrong size`],
  ],
  [
    'bytes behind the archive',
    () => edit(paths.archive, paths.tampered, (bytes) => Buffer.concat([bytes, Buffer.from('more')])),
    ['not as it was packed'],
  ],
  [
    'a name in front of a file that is not the one in the list',
    () =>
      edit(paths.archive, paths.tampered, (bytes) => {
        bytes.write('x', bytes.indexOf(DOCUMENT), 'latin1');
        return bytes;
      }),
    [`${DOCUMENT}: not as it was packed`],
  ],
];

describe('a tampered archive is found out:', () => {
  test.each(tamperings)('%s', async (_name, tamper, faults) => {
    const found = await verify(await tamper(), '--cert', paths.authority);
    expect(found.faults).toEqual(faults);
    expect(found.code).toBe(1);
  });
});

test('a chained line that is taken out of the record shows, in show and in the archive', async () => {
  expect((await run('show', 'ordinary')).stdout).toMatch(
    /The chain is whole: \d+ of \d+ lines are chained, from line \d+ on\.\n/,
  );
  const { timelineHead } = (await world.record('ordinary')) ?? {};
  const lines = (await world.items('ordinary')).filter(({ item }) => item.startsWith('event#'));
  expect(lines.some(({ hash, what }) => hash === timelineHead && what === 'Status CLOSED')).toBe(true);
  const { item = '' } = lines.find(({ what }) => what === 'Status WAITING_FOR_SIGNATURE') ?? {};
  const dynamodb = new DynamoDBClient(world.aws.directClientSettings);
  const Key = { orderRef: { S: 'ordinary' }, item: { S: item } };
  await dynamodb.send(new DeleteItemCommand({ TableName: world.outputs.OrderTable, Key }));
  expect((await run('show', 'ordinary')).stdout).toMatch(/The chain is BROKEN: a line before line \d+ was removed\.\n/);
  const path = folder.path('after-removal.zip');
  expect(await run('evidence', 'ordinary', '--out', path)).toMatchObject({ code: 0 });
  const found = await verify(path, '--cert', paths.authority);
  expect(found).toMatchObject({ code: 1, faults: [`${TIMELINE}: timeline line removed`] });
});

test('verify names each fault in a sentence', async () => {
  const path = await withFile(DOCUMENT, flipped(original.get(DOCUMENT)));
  const { code, stdout } = await loanOrders(['evidence', '--verify', path]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/ has 1 fault:\n {2}package\/documents\/charter\.pdf: changed\. It has 42 bytes and SHA-256 /);
});

test.each([
  [['evidence'], 2, 'Give either an orderRef or --verify <archive>'],
  [['evidence', 'ordinary', '--cert', 'any.pem'], 2, '--cert is for --verify'],
  [['evidence', '--verify', 'none.zip'], 1, 'File none.zip does not exist: nothing was checked.'],
  [['evidence', '--verify', 'package.json'], 1, ''],
] as const)('%j ends with code %i', async (args, code, sentence) => {
  expect(await loanOrders([...args])).toMatchObject({ code, stderr: expect.stringContaining(sentence) });
});
