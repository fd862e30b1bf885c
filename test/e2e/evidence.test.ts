import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loanOrders } from '../helpers/command-line.ts';
import {
  DOCUMENT,
  flipped,
  MANIFEST,
  MANIFEST_SIGNATURE,
  ORDER_JSON,
  openEvidence,
  verify,
} from '../helpers/evidence-archive.ts';
import { secretWords } from '../helpers/packages.ts';
import { run as runProgram, verifyWithOpenssl } from '../helpers/signer-files.ts';
import { filesOf, pack } from '../helpers/tampered-archive.ts';

const { world, folder, paths, run, original } = await openEvidence();

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
      document: folder.write('signed', `loan-orders-evidence/1\n${original.get(MANIFEST)}`),
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
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('is there already: it was not overwritten'),
    });
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
    const refused = "These credentials may not use the stage's key for evidence. No archive was written.";
    const [refusal, signed] = await Promise.all([as('auditor-alone'), as('auditor-who-signs')]);
    expect(refusal).toMatchObject({ code: 1, stderr: expect.stringContaining(refused) });
    expect(signed).toMatchObject({ code: 0, stderr: '' });
    const found = await verify(folder.path('by-auditor-who-signs.zip'), '--cert', paths.authority);
    expect(found).toMatchObject({ faults: [], facts: { writtenBy: 'auditor-who-signs', signed: true } });
  });
});

test('verify names each fault in a sentence', async () => {
  const path = await pack(paths.tampered, new Map(original).set(DOCUMENT, flipped(original.get(DOCUMENT))));
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
