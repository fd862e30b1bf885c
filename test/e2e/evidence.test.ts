import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { MANIFEST, MANIFEST_SIGNATURE } from '../../commands/evidence/manifest.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { DOCUMENT, ORDER_JSON, openEvidence, verify } from '../helpers/evidence-archive.ts';
import { NO_OFFERS, SIGNATURES_AT_ONCE, submit } from '../helpers/open-world.ts';
import { secretWords } from '../helpers/packages.ts';
import { filesOf, pack, withListed } from '../helpers/packed-archive.ts';
import { orderAtService } from '../helpers/signatures.ts';
import { run as runProgram, verifyWithOpenssl } from '../helpers/signer-files.ts';

const { world, folder, paths, run, original } = await openEvidence();

test('an archive is whole, and its manifest is signed by the key of the stage', async () => {
  expect(await verify(paths.archive, '--cert', paths.authority)).toMatchObject({
    code: 0,
    faults: [],
    facts: {
      orderRef: 'ordinary',
      signed: true,
      validSignatures: 2,
      signer: { subject: 'CN=Loan orders', isPinned: true },
    },
  });
  const { stdout } = await loanOrders(['evidence', '--verify', paths.archive]);
  expect(stdout).toContain("The certificate is the archive's own: compare its SHA-256 ");
});

test('OpenSSL verifies the manifest; sha256sum and unzip agree on the files', async () => {
  await runProgram('unzip', ['-q', paths.archive, '-d', folder.path('unpacked')]);
  await verifyWithOpenssl({
    signature: folder.path(`unpacked/${MANIFEST_SIGNATURE}`),
    document: folder.write('signed', `loan-orders-evidence/1\n${original.get(MANIFEST)}`),
    authority: paths.authority,
  });
  const { files } = JSON.parse(readFileSync(folder.path(`unpacked/${MANIFEST}`), 'utf8'));
  const unpacked = (path: string) => readFileSync(folder.path(`unpacked/${path}`));
  for (const { path, sha256 } of files)
    expect(createHash('sha256').update(unpacked(path)).digest('hex'), path).toBe(sha256);
});

test('an archive holds what was sent, and tells a lawyer of it on a page that runs nothing', async () => {
  expect(String(original.get(ORDER_JSON))).toContain(secretWords.company);
  expect(String(original.get(DOCUMENT))).toBe('bytes of documents/charter.pdf of ordinary');
  const { orderId = '' } = (await world.record('ordinary')) ?? {};
  const page = String(original.get('index.html'));
  const texts = ['Valid when it was sent', 'Laptop signer', 'FIRST-12', 'confirmed', 'Status CLOSED'];
  for (const words of [orderId, ...texts]) expect(page).toContain(words);
  expect(page).toMatch(/ {2}Decided at [\d-]+ [\d:]+Z by the rule\./);
  expect(page).not.toMatch(/<script|javascript:|http:/);
  const everything = [...original.values()].join('\n');
  expect(everything).not.toContain(world.simulator.settings.clientSecret);
  expect(everything).not.toContain('callback#');
});

test('an archive is the same once more, but for when and by whom it was written', async () => {
  const again = folder.path('again.zip');
  expect(await run('evidence', 'ordinary', '--out', again, '--unsigned')).toMatchObject({ code: 0 });
  const files = await filesOf(again);
  for (const [path, bytes] of original) if (!path.startsWith(MANIFEST)) expect(files.get(path), path).toEqual(bytes);
  expect(await verify(again)).toMatchObject({ code: 0, faults: [], facts: { signed: false } });
  const { stdout } = await loanOrders(['evidence', '--verify', again]);
  expect(stdout).toContain('The manifest has no signature (whoever wrote it asked for that)');
});

test('an auditor writes a signed archive only if the policy for it is attached, too', async () => {
  const { AuditorPolicy = '', EvidenceSignerPolicy = '' } = world.outputs;
  world.aws.addPerson('auditor-alone', AuditorPolicy);
  world.aws.addPerson('auditor-who-signs', AuditorPolicy, EvidenceSignerPolicy);
  const as = (person: string) =>
    loanOrders(['--stage', 'local', 'evidence', 'ordinary', '--out', folder.path(`by-${person}.zip`)], {
      ...world.aws.environment,
      AWS_ACCESS_KEY_ID: person,
    });
  const refused = "These credentials may not use the stage's key for evidence. No archive was written.";
  const [refusal, signed] = await Promise.all([as('auditor-alone'), as('auditor-who-signs')]);
  expect(refusal).toMatchObject({ code: 1, stderr: expect.stringContaining(refused) });
  expect(signed).toMatchObject({ code: 0, stderr: '' });
  const found = await verify(folder.path('by-auditor-who-signs.zip'), '--cert', paths.authority);
  expect(found).toMatchObject({ faults: [], facts: { writtenBy: 'auditor-who-signs', signed: true } });
});

test('a name that is taken, or cannot be one, is refused before anything is read', async () => {
  const before = readFileSync(paths.archive);
  const taken = 'it was not overwritten, and no archive was written. Give another file with --out.';
  for (const [out, sentence] of [
    [paths.archive, ` is there already: ${taken}`],
    [folder.path('.'), ` is a folder: ${taken}`],
    [folder.path('none/x.zip'), " can't be written (ENOENT): no archive was written."],
  ] as const)
    expect(await run('evidence', 'ordinary', '--out', out)).toMatchObject({ code: 1, stderr: `${out}${sentence}\n` });
  expect(readFileSync(paths.archive)).toEqual(before);
  expect(readdirSync(folder.path('.')).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('a signature whose document was removed is in an archive without faults, and is not judged', async () => {
  Object.assign(world.simulator.settings, SIGNATURES_AT_ONCE, NO_OFFERS);
  await submit(world, 'gone');
  await world.untilEnd('gone');
  const page = await world.stagedJson<{ documents: { key: string; versionId: string }[] }>('gone', 'to-sign.json');
  const [{ key: Key, versionId: VersionId } = { key: '', versionId: '' }] = page.documents;
  await world.s3.send(new DeleteObjectCommand({ Bucket: world.outputs.StagingBucket, Key, VersionId }));
  const out = folder.path('gone.zip');
  expect(await run('evidence', 'gone', '--out', out)).toMatchObject({ code: 0 });
  expect(await verify(out)).toMatchObject({ code: 0, faults: [], facts: { validSignatures: 1 } });
  const archive = await filesOf(out);
  expect(archive.has('signatures/round-1/application-1-1.pdf.p7s')).toBe(true);
  expect(String(archive.get('index.html'))).toContain('that was sent, round 1; its document was removed before');
});

/** The service names this as a document to sign, in an order that KMS signs. */
async function nameAsDocument(orderRef: string, content: Buffer) {
  world.simulator.settings.documentTemplates = [{ fileId: 'document', content }];
  await submit(world, orderRef, { signing: 'kms' });
  return world.untilEnd(orderRef, { signing: false });
}

test('a manifest that the service has signed as a document signs no archive', async () => {
  const files = withListed(original, DOCUMENT, Buffer.from('a document that nobody sent'));
  expect(await nameAsDocument('named', files.get(MANIFEST) ?? Buffer.alloc(0))).toMatchObject({ status: 'CLOSED' });
  const [sent] = (await orderAtService(world, 'named')).signatures;
  await pack(paths.tampered, files.set(MANIFEST_SIGNATURE, Buffer.from(sent?.file.bytes ?? '')));
  const found = await verify(paths.tampered, '--cert', paths.authority);
  expect(found).toMatchObject({ code: 1, faults: [`${MANIFEST_SIGNATURE}: manifest signature wrong`] });
});

test('a document that begins as evidence does is neither staged nor signed, and the order says so', async () => {
  const { failure } = await nameAsDocument('with-line', Buffer.from('loan-orders-evidence/1\n{ and more'));
  expect(failure).toMatchObject({
    error: 'UnexpectedResponse',
    cause: expect.stringContaining(
      'document number 1 to sign begins as evidence does ("loan-orders-evidence/", or the signed attributes of a signature), ' +
        'so that its signature could pass for one of evidence. ' +
        'It was not staged, and nobody is asked to sign it. Ask the order service what it is, then retry.',
    ),
  });
  expect((await world.stagedKeys('with-line')).filter((key) => key.startsWith('to-sign'))).toEqual([]);
});

test.each([
  [['evidence'], 2, 'Give either an orderRef or --verify <archive>'],
  [['evidence', 'ordinary', '--cert', 'any.pem'], 2, '--cert is for --verify'],
  [['evidence', '--verify', 'none.zip'], 1, 'File none.zip does not exist: nothing was checked.'],
  [['evidence', '--verify', 'package.json'], 1, ''],
] as const)('%j ends with code %i', async (args, code, sentence) => {
  expect(await loanOrders([...args])).toMatchObject({ code, stderr: expect.stringContaining(sentence) });
});

const names = () => readdirSync(folder.path('.')).filter((name) => name.includes('.zip'));

/** What became of the command as a process, whose files may have no more kilobytes than this. */
async function ended(out: string, most: string, started?: (command: ChildProcess) => void) {
  const args = ['--local', '--endpoint', world.aws.endpoint, 'evidence', 'ordinary', '--out', folder.path(out)];
  const script = `ulimit -f ${most}; exec "$@"`;
  const line = ['-c', script, '-', process.execPath, 'bin/loan-orders.ts', ...args];
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
