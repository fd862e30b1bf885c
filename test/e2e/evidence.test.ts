import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeAuthority, makeSigner, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { beforeAll, describe, expect, test } from 'vitest';
import { CONTENTS, MANIFEST, MANIFEST_SIGNATURE, packer } from '../../commands/evidence/archive.ts';
import { signature } from '../../packages/detached-signatures/test/helpers/cms.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';
import { secretWords } from '../helpers/packages.ts';
import { openFolder } from '../helpers/signer-files.ts';
import { certifyKey } from '../helpers/signing-keys.ts';

const DOCUMENT = 'package/charter.pdf';
const [RENAMED, CAPITALS] = ['package/renamed.pdf', 'package/CHARTER.pdf'];

type Files = Map<string, Buffer>;

const world = await openWorld({ settings: { documentsToSign: 2 } });
const folder = openFolder();
const archive = folder.path('order.zip');
const authority = makeAuthority();
const certificates = { ofKey: '', ofAuthority: toPem(authority.certificate) };
const run = (...args: string[]) => loanOrders(['--local', '--endpoint', world.aws.endpoint, ...args]);
const original: Files = new Map();

beforeAll(async () => {
  await world.submitToEnd('my-order', { documents: ['charter.pdf', 'balance.pdf'] });
  expect(await run('evidence', 'my-order', '--out', archive)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'There is no certificate chain in intake: signing/evidence-certificate-chain.pem. No archive was written.',
    ),
  });
  const { SigningKey, EvidenceKey } = world.outputs;
  await certifyKey(world, SigningKey, authority);
  const file = 'evidence-certificate-chain.pem';
  certificates.ofKey = toPem(await certifyKey(world, EvidenceKey, authority, { file }));
  expect(await run('evidence', 'my-order', '--out', archive)).toMatchObject({ code: 0, stderr: '' });
  for (const [path, bytes] of filesOf(archive)) original.set(path, bytes);
});

function filesOf(path: string): Files {
  const to = folder.path(randomUUID());
  execFileSync('unzip', ['-q', path, '-d', to]);
  const names = readdirSync(to, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(to, name)).isFile(),
  );
  return new Map(names.map((name) => [name, readFileSync(join(to, name))]));
}

const bytesOf = (path: string) => original.get(path) ?? Buffer.alloc(0);
const withFile = (path: string, bytes: Uint8Array | string) => new Map(original).set(path, Buffer.from(bytes));
const without = (path: string) => new Map([...original].filter(([name]) => name !== path));

function withListed(): Files {
  const sum = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');
  const manifest = String(bytesOf(MANIFEST)).replace(sum(bytesOf(DOCUMENT)), sum('another'));
  return withFile(DOCUMENT, 'another').set(MANIFEST, Buffer.from(manifest));
}

async function signedByAnother(): Promise<Files> {
  return withFile(MANIFEST_SIGNATURE, await signature(makeSigner('p-256'), { over: bytesOf(MANIFEST) }));
}

function documented(language: string): string {
  const [, ofCheck = ''] = readFileSync('docs/evidence.md', 'utf8').split('## Check it');
  return new RegExp(`\`\`\`${language}\\n(.+?)\`\`\``, 's').exec(ofCheck)?.[1] ?? '';
}

async function printed([program = '', ...args]: string[], lines: string, files: Files, certificate: string) {
  const cwd = folder.path(randomUUID());
  mkdirSync(cwd);
  const parts: Uint8Array[] = [];
  const { addBytes, end } = packer(async (chunk) => void parts.push(Buffer.from(chunk)));
  for (const [name, bytes] of files) await addBytes(name, bytes);
  await end();
  writeFileSync(join(cwd, 'my-order.evidence.zip'), Buffer.concat(parts));
  writeFileSync(join(cwd, 'certificate.pem'), certificate);
  const { stdout, stderr } = spawnSync(program, [...args, lines], { cwd, env: { ...process.env, null: '/dev/null' } });
  return `${stderr}${stdout}`;
}

const SH = ['sh', '-c'];
const POWERSHELL = ['pwsh', '-NoProfile', '-Command'];
const WHOLE = 'CMS Verification successful\n';

describe.each([
  ['sh', SH],
  ['powershell', POWERSHELL],
])('the documented lines for %s', (language, shell) => {
  // Not every machine has PowerShell.
  const isHere = spawnSync(shell[0] ?? '', [...shell.slice(1), 'exit']).error === undefined;

  test.skipIf(!isHere)('find an archive whole', async () => {
    for (const certificate of Object.values(certificates))
      expect(await printed(shell, documented(language), original, certificate)).toBe(WHOLE);
  });

  test.skipIf(!isHere).each<[what: string, tamper: () => Files | Promise<Files>, shown: string]>([
    ['a file that was changed', () => withFile(DOCUMENT, 'another'), DOCUMENT],
    ['a file that was renamed', () => without(DOCUMENT).set(RENAMED, bytesOf(DOCUMENT)), RENAMED],
    ['a file whose name has other capitals', () => without(DOCUMENT).set(CAPITALS, bytesOf(DOCUMENT)), CAPITALS],
    ['a file that was removed', () => without(DOCUMENT), DOCUMENT],
    ['a file that was added', () => withFile('package/waiver.pdf', 'new'), 'package/waiver.pdf'],
    ['a hidden file that was added', () => withFile('.waiver', 'new'), '.waiver'],
    ['a second manifest', () => withFile(`package/${MANIFEST}`, bytesOf(MANIFEST)), `package/${MANIFEST}`],
    ['a file that was changed, and is listed so', withListed, 'CMS Verification failure'],
    ['a manifest that somebody else signed', signedByAnother, 'CMS Verification failure'],
    ['a manifest without its signature', () => without(MANIFEST_SIGNATURE), MANIFEST_SIGNATURE],
  ])('find %s', async (_what, tamper, shown) => {
    const text = await printed(shell, documented(language), await tamper(), certificates.ofKey);
    expect(text).toContain(shown);
    expect(text).not.toBe(WHOLE);
  });
});

test('OpenSSL takes its line for PowerShell, on a machine without PowerShell too', async () => {
  const line = documented('powershell')
    .split('\n')
    .find((one) => one.startsWith('openssl'));
  const lines = `unzip -q my-order.evidence.zip -d my-order\ncd my-order\n${line}`;
  expect(await printed(SH, lines, original, certificates.ofKey)).toBe(WHOLE);
  expect(await printed(SH, lines, withListed(), certificates.ofKey)).toContain('CMS Verification failure');
});

test('an archive holds what was sent, and tells a lawyer of it on a page that runs nothing', async () => {
  expect(String(original.get('package/order.json'))).toContain(secretWords.company);
  expect(String(original.get(DOCUMENT))).toBe('bytes of documents/charter.pdf of my-order');
  const { orderId = '' } = (await world.record('my-order')) ?? {};
  const page = String(original.get('index.html'));
  const texts = ['Valid when it was sent', 'Laptop signer', 'FIRST-12', 'confirmed', 'Status CLOSED'];
  for (const words of [orderId, ...texts]) expect(page).toContain(words);
  expect(page).toMatch(/ {2}Decided at [\d-]+ [\d:]+Z by the rule\./);
  expect(page).not.toMatch(/<script|javascript:|http:/);
  expect(page).toContain(
    documented('sh')
      .replace(/^unzip.*\ncd.*\n/, '')
      .trim(),
  );
  const everything = [...original.values()].join('\n');
  expect(everything).not.toContain(world.simulator.settings.clientSecret);
  expect(everything).not.toContain('callback#');
});

test('an archive is the same once more, but for when and by whom it was written', async () => {
  const again = folder.path('again.zip');
  const reads: string[] = [];
  world.wrappers.requestWrapper = async ({ operation, path }) => {
    if (operation === 'GET' && path.includes('/to-sign/')) reads.push(path);
    return undefined;
  };
  const { stdout } = await run('evidence', 'my-order', '--out', again, '--unsigned');
  expect(stdout).toContain('Its manifest has no signature: whoever wrote it asked for that.');
  const files = filesOf(again);
  const differ = [...original.keys()].filter((path) => !files.get(path)?.equals(bytesOf(path)));
  expect(differ.sort()).toEqual([CONTENTS, MANIFEST, MANIFEST_SIGNATURE]);
  expect([reads.length > 0, reads.length]).toEqual([true, new Set(reads).size]);
  expect(JSON.parse(String(files.get(CONTENTS)))).toMatchObject({
    about: { orderRef: 'my-order', stage: 'local', signed: false, writtenBy: expect.any(String) },
    files: expect.arrayContaining([
      expect.objectContaining({ path: DOCUMENT, source: expect.objectContaining({ bucket: 'intake' }) }),
    ]),
  });
});

test('an auditor writes a signed archive only if the policy for it is attached, too', async () => {
  const { AuditorPolicy = '', EvidenceSignerPolicy = '' } = world.outputs;
  world.aws.addPerson('auditor-alone', AuditorPolicy);
  world.aws.addPerson('auditor-who-signs', AuditorPolicy, EvidenceSignerPolicy);
  const as = (person: string) =>
    loanOrders(['--stage', 'local', 'evidence', 'my-order', '--out', folder.path(`by-${person}.zip`)], {
      ...world.aws.environment,
      AWS_ACCESS_KEY_ID: person,
    });
  const refused = "These credentials may not use the stage's key for evidence. No archive was written.";
  const [refusal, signed] = await Promise.all([as('auditor-alone'), as('auditor-who-signs')]);
  expect(refusal).toMatchObject({ code: 1, stderr: expect.stringContaining(refused) });
  expect(signed).toMatchObject({ code: 0, stderr: '' });
  const files = filesOf(folder.path('by-auditor-who-signs.zip'));
  expect(String(files.get(CONTENTS))).toContain('"writtenBy": "auditor-who-signs"');
  expect(await printed(SH, documented('sh'), files, certificates.ofKey)).toBe(WHOLE);
});

test('a name that is taken, or cannot be one, is refused before anything is read', async () => {
  const before = readFileSync(archive);
  const taken = 'it was not overwritten, and no archive was written. Give another file with --out.';
  for (const [out, sentence] of [
    [archive, ` is there already: ${taken}`],
    [folder.path('.'), ` is a folder: ${taken}`],
    [folder.path('none/x.zip'), " can't be written (ENOENT): no archive was written."],
  ] as const)
    expect(await run('evidence', 'my-order', '--out', out)).toMatchObject({ code: 1, stderr: `${out}${sentence}\n` });
  expect(readFileSync(archive)).toEqual(before);
  expect(readdirSync(folder.path('.')).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('a signature whose document was removed is in an archive without faults, and is not judged', async () => {
  Object.assign(world.simulator.settings, SIGNATURES_AT_ONCE, NO_OFFERS);
  await world.submitToEnd('gone');
  await world.removeStaged((await world.documentsToSign('gone'))[0]);
  const out = folder.path('gone.zip');
  expect(await run('evidence', 'gone', '--out', out)).toMatchObject({ code: 0 });
  const files = filesOf(out);
  expect(files.has('signatures/round-1/application-1-1.pdf.p7s')).toBe(true);
  const index = String(files.get('index.html'));
  expect(index).toContain('that was sent, round 1; its document was removed before');
  expect(index.match(/Valid when it was sent/g)).toHaveLength(1);
  expect(String(files.get(CONTENTS))).toContain('"indication": "TOTAL-PASSED"');
});

test('a manifest that the service names as a document is neither staged nor signed, and the order says so', async () => {
  world.simulator.settings.documentTemplates = [{ fileId: 'document', content: bytesOf(MANIFEST) }];
  const { failure } = await world.submitToEnd('named', { signing: 'kms' }, { signing: false });
  expect(failure).toMatchObject({
    error: 'UnexpectedResponse',
    cause: expect.stringMatching(/document number 1 to sign begins as evidence does .* It was not staged, /),
  });
  expect((await world.stagedKeys('named')).filter((key) => key.startsWith('to-sign'))).toEqual([]);
});

const names = () => readdirSync(folder.path('.')).filter((name) => name.includes('.zip'));

/** What became of the command as a process, whose files may have no more kilobytes than this. */
async function ended(out: string, most: string, started?: (command: ChildProcess) => void) {
  const args = ['--local', '--endpoint', world.aws.endpoint, 'evidence', 'my-order', '--out', folder.path(out)];
  const script = `ulimit -f ${most}; exec "$@"`;
  const line = ['-c', script, '-', process.execPath, 'bin/loan-orders.js', ...args];
  const command = spawn('bash', line, { stdio: 'pipe' });
  started?.(command);
  const texts: string[] = [];
  command.stderr.setEncoding('utf8').on('data', (text: string) => texts.push(text));
  const [code] = await once(command, 'close');
  return { code, stderr: texts.join('') };
}

test('nothing is left of an archive that is larger than the disk', async () => {
  const sentence = `${folder.path('full.zip')} can't be written (EFBIG): no archive was written.\n`;
  const before = names();
  expect(await ended('full.zip', '20')).toEqual({ code: 1, stderr: sentence });
  expect(names()).toEqual(before);
});

test('nothing is left of an archive that SIGHUP stops', async () => {
  const before = names();
  const stop = (command: ChildProcess) => {
    world.wrappers.requestWrapper = async ({ operation }) => {
      if (operation === 'GET' && names().length > before.length) command.kill('SIGHUP');
      return undefined;
    };
  };
  const stderr = '\nStopped: no archive was written. Repeat the command.\n';
  expect(await ended('stopped.zip', 'unlimited', stop)).toEqual({ code: 129, stderr });
  expect(names()).toEqual(before);
});
