import { expect } from 'vitest';
import { checkSignature, type Gate } from '../../signature-gate.ts';
import { documentOf } from './cms.ts';
import { kept } from './gost-files.ts';

const now = new Date('2030-01-01');
const PASSES = { passed: true };
export const REFUSED = (problem: string) => ({ passed: false, problem: expect.stringContaining(problem) });
const UNTRUSTED = REFUSED('was not issued by an authority that this stage trusts');

export const GOST = ['gost-authority', 'gost-authority-512'];
const RSA = ['rsa-authority'];

const sets256 = ['A', 'B', 'C', 'XA', 'XB', 'TCA', 'TCB', 'TCC', 'TCD'].map((name) => `256-${name}`);
const sets512 = ['A', 'B', 'C'].map((name) => `512-${name}`);
const forms = ['256-TCA', '512-A'].flatMap((name) => [`${name}-without-attributes`, `${name}-cades`]);
const files = [...sets256, ...sets512, ...forms].map((name) => `${name}.der`);

/** A file, the authorities of the gate, and the verdict. */
export const table: [string, string[], object][] = [
  ...files.map((file): [string, string[], object] => [file, GOST, PASSES]),
  ...files.map((file): [string, string[], object] => [file, [], PASSES]),
  ...files.map((file): [string, string[], object] => [file, RSA, UNTRUSTED]),
  ['of-between.der', GOST, PASSES],
  ['armoured.pem', GOST, PASSES],
  ['base64.txt', GOST, PASSES],
  ['other.der', GOST, REFUSED('It is the signature of the document B.')],
  ['of-stranger.der', GOST, UNTRUSTED],
  ['of-stranger.der', RSA, UNTRUSTED],
  ['rsa-sha1.der', GOST, UNTRUSTED],
  ['rsa-sha1.der', RSA, UNTRUSTED],
  ['rsa-sha1.der', [], REFUSED('The digest algorithm SHA-1 (1.3.14.3.2.26) cannot be checked here.')],
  ['of-constraint-only.der', GOST, REFUSED('because of its basicConstraints or keyUsage')],
  ['of-usage-only.der', GOST, REFUSED('because of its basicConstraints or keyUsage')],
  ['encipherment.der', GOST, REFUSED('its key is not for signing documents')],
  ['document', GOST, REFUSED('CMS SignedData: it is a file of the format TXT.')],
  ['attached.der', GOST, REFUSED('It contains the document.')],
  ['without-certificate.der', GOST, REFUSED("does not contain the signer's certificate")],
];

export function check(bytes: Uint8Array, authorities: string[], more: Partial<Gate> = {}) {
  const document = {
    ...documentOf(kept.bytes('document')),
    findOwner: async (_algorithm: string, digest: Buffer) => {
      const other = await documentOf(kept.bytes('other')).digest('streebog256');
      return digest.equals(other) ? { document: 'B' } : undefined;
    },
  };
  const trusted = authorities.map((name) => kept.authority(name));
  return checkSignature(bytes, document, { level: 'check', authorities: trusted, now, ...more });
}
