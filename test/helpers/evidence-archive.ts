import { makeAuthority, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { beforeAll, expect } from 'vitest';
import type { ArchiveFault } from '../../commands/evidence/archive.ts';
import { loanOrders } from './command-line.ts';
import { openWorld, submit } from './open-world.ts';
import { type Files, filesOf } from './packed-archive.ts';
import { openFolder } from './signer-files.ts';
import { certifyKey } from './signing-keys.ts';

/** Files of the archive of order `ordinary`. */
export const DOCUMENT = 'package/charter.pdf';
export const ORDER_JSON = 'package/order.json';

/** Runs order `ordinary` to its end, and writes its archive, which the stage's key signs, before the tests of the file. */
export async function openEvidence() {
  const world = await openWorld({ settings: { documentsToSign: 2 } });
  const folder = openFolder();
  const authority = makeAuthority();
  const paths = {
    archive: folder.path('order.zip'),
    tampered: folder.path('tampered.zip'),
    authority: folder.write('authority.pem', toPem(authority.certificate)),
  };
  const run = (...args: string[]) => loanOrders(['--local', '--endpoint', world.aws.endpoint, ...args]);
  const original: Files = new Map();
  beforeAll(async () => {
    await submit(world, 'ordinary', { documents: ['charter.pdf', 'balance.pdf'] });
    await world.untilEnd('ordinary');
    expect(await run('evidence', 'ordinary', '--out', paths.archive)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'There is no certificate chain in intake: signing/evidence-certificate-chain.pem. No archive was written.',
      ),
    });
    const { SigningKey, EvidenceKey } = world.outputs;
    const commonName = 'Loan orders';
    await certifyKey(world, SigningKey, authority, { commonName });
    await certifyKey(world, EvidenceKey, authority, { commonName, file: 'evidence-certificate-chain.pem' });
    expect(await run('evidence', 'ordinary', '--out', paths.archive)).toMatchObject({ code: 0, stderr: '' });
    for (const [path, bytes] of await filesOf(paths.archive)) original.set(path, bytes);
  });
  return { world, folder, paths, run, original };
}

/** Checks an archive as anybody can: without a laptop. */
export async function verify(path: string, ...more: string[]) {
  const { code, stdout } = await loanOrders(['--json', 'evidence', '--verify', path, ...more]);
  const { faults, ...facts } = JSON.parse(stdout) as { faults: ArchiveFault[]; signed?: boolean };
  return { code, facts, faults: faults.map(({ file, fault }) => (file ? `${file}: ${fault}` : fault)) };
}
