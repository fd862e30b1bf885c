import { createHash, type X509Certificate } from 'node:crypto';
import { Readable } from 'node:stream';
import { issuedBy } from '../../packages/detached-signatures/certificate-path.ts';
import { certificatesOf, checkDetached, oneLine } from './detached-signature.ts';
import type { Fault } from './fault.ts';
import { brokenLinks, chainStart } from './hash-chain.ts';
import { MANIFEST, MANIFEST_SIGNATURE, type Manifest, signedBytes } from './manifest.ts';

/** What is wrong with the chain of the manifest. The first wrong link shows where. */
export function chainFaults({ about, files, head }: Manifest): Fault[] {
  const start = chainStart(about);
  const [first] = brokenLinks(start, files);
  const wrong = (message: string): Fault[] => [{ file: MANIFEST, fault: 'chain broken', message }];
  if (first !== undefined) {
    const where =
      first === 0
        ? 'what it says of the archive, or its first line'
        : `its line of ${files[first]?.path}, or the one before`;
    return wrong(`Somebody changed, removed, added or moved ${where}.`);
  }
  return (files.at(-1)?.chain ?? start) === head ? [] : wrong('Its last lines were removed, or its head was changed.');
}

/** Who signed a manifest, or what is wrong with the signature. */
export interface SignatureCheck {
  faults: Fault[];
  signer?: X509Certificate;
}

/**
 * Checks the signature of a manifest.
 * @param signature undefined if the archive has none.
 * @param trusted the certificates that the signer's must be one of, or be issued by. Empty: any.
 */
export async function checkManifestSignature(
  { about }: Manifest,
  manifest: Buffer,
  signature: Buffer | undefined,
  trusted: readonly X509Certificate[],
): Promise<SignatureCheck> {
  if (!signature) return { faults: missing(about, trusted) };
  const signed = signedBytes(manifest);
  const digest = async (algorithm: string) => createHash(algorithm).update(signed).digest();
  const now = new Date(about.writtenAt);
  const verdict = await checkDetached(signature, { digest, open: async () => Readable.from([signed]) }, now);
  const problem = verdict.passed ? verdict.note : verdict.problem;
  if (problem !== undefined)
    return wrong('manifest signature wrong', `The manifest was changed, or its signature was. ${problem}`);
  const certificates = certificatesOf(signature);
  const [signer] = certificates;
  if (!signer) return wrong('manifest signature wrong', "It does not contain the signer's certificate.");
  if (trusted.length === 0 || issuedBy(trusted, certificates, now).has(signer)) return { faults: [], signer };
  return wrong(
    'certificate wrong',
    `It was signed by ${oneLine(signer.subject)}, whose certificate is not the one of --cert, nor issued by it.`,
  );
}

function missing({ signed }: Manifest['about'], trusted: readonly X509Certificate[]): Fault[] {
  if (!signed && trusted.length === 0) return [];
  const why = signed ? 'The manifest says that it is signed' : 'You gave a certificate, but the manifest is not signed';
  return [{ file: MANIFEST_SIGNATURE, fault: 'manifest signature missing', message: `${why}.` }];
}

function wrong(fault: Fault['fault'], message: string): SignatureCheck {
  return { faults: [{ file: MANIFEST_SIGNATURE, fault, message }] };
}
