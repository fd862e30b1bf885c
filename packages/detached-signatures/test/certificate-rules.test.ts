import type { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { checkSignature } from '../signature-gate.ts';
import { content, documentOf } from './helpers/cms.ts';
import { certify, GOST, hasEngine, signedBy } from './helpers/openssl.ts';
import { certificatesOf, children, signersOf, tree, written } from './helpers/signature-tree.ts';

/** Options of OpenSSL for the root, the authority below it, the signer, and the signature. */
interface Path {
  root?: string[];
  ca?: string[];
  signer?: string[];
  sign?: string[];
}
type Certificate = 'root' | 'ca' | 'signer';

const check = (bytes: Uint8Array, root: X509Certificate) =>
  checkSignature(bytes, documentOf(content), { level: 'strict', authorities: [root], now: new Date() });

const add = (extension: string) => ['-addext', extension];
const AUTHORITY = 'basicConstraints=critical,CA:TRUE';
const authority = (options: string[] = []) =>
  options.some((one) => one.startsWith('basic')) ? options : [...add(AUTHORITY), ...options];

function pathOf({ root, ca, signer = [], sign = [] }: Path) {
  const certificates = {
    root: certify('root', undefined, ...authority(root)),
    ca: certify('ca', 'root', ...authority(ca)),
    signer: certify('signer', 'ca', ...signer),
  };
  return { certificates, bytes: signedBy('signer', '-certfile', 'ca.pem', ...sign) };
}

const rsa = (bits: number) => ['-newkey', `rsa:${bits}`];
const curve = (name: string) => ['-newkey', 'ec', '-pkeyopt', `ec_paramgen_curve:${name}`];
const pss = (...options: string[]) => ['rsa_padding_mode:pss', ...options].flatMap((one) => ['-sigopt', one]);
const byRsa = (...signer: string[]) => ({ root: rsa(2048), ca: rsa(2048), signer });
const length = (most: number) => ({ root: add(`${AUTHORITY},pathlen:${most}`) });
const subject = (name: string) => ['-subj', name];
const alternative = (name: string) => add(`subjectAltName=${name}`);
const permitted = (names: string) => add(`nameConstraints=critical,permitted;${names}`);
const excluded = (names: string) => add(`nameConstraints=critical,excluded;${names}`);
const SERVERS = 'extendedKeyUsage=serverAuth,OCSPSigning,timeStamping';
const UNKNOWN = add('1.2.3.4=critical,DER:0500');
const [ALGORITHM, KEY, NAMES] = ['signatureAlgorithm', 'subjectPublicKey', "issuers' nameConstraints"];

test.each<[what: string, Path, field?: string, of?: Certificate]>([
  ['P-256', {}],
  ['GOST keys', { root: GOST, ca: GOST, signer: GOST, sign: ['-engine', 'gost'] }],
  ['brainpool', { signer: curve('brainpoolP256r1') }],
  ['PSS in the signature', { signer: rsa(2048), sign: ['-keyopt', 'rsa_padding_mode:pss'] }],
  ['PSS and a salt of 20', byRsa('-sha512', ...pss('rsa_pss_saltlen:20'))],
  ['PSS and SHA-1', byRsa('-sha1', ...pss()), `${ALGORITHM} 1.2.840.113549.1.1.10`, 'signer'],
  ['PSS and SHA-224', byRsa('-sha224', ...pss()), ALGORITHM, 'signer'],
  ['MGF1 with SHA-1', byRsa('-sha256', ...pss('rsa_mgf1_md:sha1')), ALGORITHM, 'signer'],
  ['MD5', byRsa('-md5'), `${ALGORITHM} 1.2.840.113549.1.1.4`, 'signer'],
  ['RIPEMD-160', byRsa('-ripemd160'), `${ALGORITHM} 1.3.36.3.3.1.2`, 'signer'],
  ['ECDSA and SHA-224', { signer: ['-sha224'] }, ALGORITHM, 'signer'],
  ['an authority by SHA-1', { ca: ['-sha1'] }, ALGORITHM, 'ca'],
  ['RSA of 1024 bits', { signer: rsa(1024) }, `${KEY} of 1024 bits`, 'signer'],
  ['an authority of 1024 bits', { ca: rsa(1024) }, `${KEY} of 1024 bits`, 'ca'],
  ['a root of 1024 bits', { root: rsa(1024) }, `${KEY} of 1024 bits`, 'root'],
  ['P-224', { signer: curve('secp224r1') }, `${KEY} on secp224r1`, 'signer'],
  ['an unknown critical extension', { signer: UNKNOWN }, 'critical extension 1.2.3.4', 'signer'],
  ['one of an authority', { ca: UNKNOWN }, 'critical extension 1.2.3.4', 'ca'],
  ['an unknown extension', { signer: add('1.2.3.4=DER:0500'), ca: add('1.2.3.4=DER:0500') }],
  ['critical policies', { signer: add('certificatePolicies=critical,1.2.3') }],
  ['one authority too many', length(0), "issuers' pathLenConstraint", 'ca'],
  ['as many authorities as allowed', length(1)],
  ['purposes of people', { signer: add('extendedKeyUsage=critical,clientAuth,emailProtection') }],
  ['a purpose of people', { signer: add(`${SERVERS},emailProtection`) }],
  ['any purpose', { signer: add('extendedKeyUsage=anyExtendedKeyUsage') }],
  ['purposes of servers', { signer: add(SERVERS) }, 'extKeyUsage', 'signer'],
  ['a permitted name', { ca: permitted('dirName:ours'), signer: subject('/O=OURS/CN=x') }],
  ['a name that is not permitted', { ca: permitted('dirName:ours') }, NAMES, 'signer'],
  ['a name not permitted by the root', { root: permitted('dirName:ours') }, NAMES, 'ca'],
  ['an excluded name', { ca: excluded('dirName:ours'), signer: subject('/O=Ours/CN=x') }, NAMES, 'signer'],
  ['another name than excluded', { ca: excluded('dirName:ours'), signer: subject('/O=Other/CN=x') }],
  ['a permitted address', { ca: permitted('email:.a.ru'), signer: alternative('email:x@B.a.ru') }],
  ['another address', { ca: permitted('email:a.ru'), signer: alternative('email:x@b.a.ru') }, NAMES, 'signer'],
  ['an address as name', { ca: permitted('email:a.ru'), signer: subject('/emailAddress=x@b.ru') }, NAMES, 'signer'],
  ['an excluded host', { ca: excluded('DNS:a.ru'), signer: alternative('DNS:b.a.ru') }, NAMES, 'signer'],
  ['an excluded host with a dot', { ca: excluded('DNS:a.ru'), signer: alternative('DNS:b.a.ru.') }, NAMES, 'signer'],
  ['another host than excluded', { ca: excluded('DNS:a.ru'), signer: alternative('DNS:ba.ru') }],
  ['names of an unknown form', { ca: excluded('URI:a.ru'), signer: alternative('URI:http://b.ru/') }, NAMES, 'signer'],
  ['only constraints of this form', { ca: excluded('URI:a.ru') }],
])('a path with %s is judged as RFC 5280 says', async (what, path, field, of = 'signer') => {
  if (what.includes('GOST') && !hasEngine) return;
  const { certificates, bytes } = pathOf(path);
  const verdict = await check(bytes, certificates.root);
  if (field === undefined) return void expect(verdict).toMatchObject({ passed: true });
  expect(verdict).toMatchObject({ passed: false, params: { certificate: certificates[of].fingerprint256 } });
  expect(verdict).toMatchObject({ problem: expect.stringContaining(`because of its ${field}`) });
});

test.each([
  ['PSS and SHA-1', ['-md', 'sha1', '-keyopt', 'rsa_padding_mode:pss']],
  ['MGF1 with another digest', ['-keyopt', 'rsa_padding_mode:pss', '-keyopt', 'rsa_mgf1_md:sha1']],
])('a signature with %s is refused', async (_what, sign) => {
  const { certificates, bytes } = pathOf({ signer: rsa(2048), sign });
  expect(await check(bytes, certificates.root)).toMatchObject({ code: 'SIG_CONSTRAINTS_FAILURE.notAccepted' });
});

test.each(hasEngine ? [[], GOST] : [[]])(
  'no certificate can take the place of another one of its key (%s)',
  async (...key) => {
    const engine = key.slice(0, 2);
    const sign = ['-cades', ...engine];
    const { certificates, bytes } = pathOf({ root: key, ca: key, signer: [...key, '-set_serial', '7'], sign });
    const other = certify('other', 'ca', ...engine, '-key', 'signer.key', '-set_serial', '7', ...subject('/CN=Other'));
    const inPlace = (good: Buffer) => {
      const parts = tree(good);
      const at = certificatesOf(parts).findIndex((one) => written(one).equals(certificates.signer.raw));
      certificatesOf(parts)[at] = tree(other.raw);
      return check(written(parts), certificates.root);
    };
    expect(await check(bytes, certificates.root)).toMatchObject({ passed: true });
    expect(await inPlace(bytes)).toMatchObject({ code: 'SIG_CONSTRAINTS_FAILURE.signingCertificate' });
    expect(await inPlace(signedBy('signer', '-certfile', 'ca.pem', ...engine))).toMatchObject({ passed: true });
  },
);

test('content of another type than data needs signed attributes; no signature algorithm is a digest', async () => {
  const { certificates, bytes } = pathOf({ sign: ['-noattr'] });
  expect(await check(bytes, certificates.root)).toMatchObject({ passed: true });
  const [typed, signed] = [tree(bytes), tree(bytes)];
  const [type] = children(children(children(children(typed)[1])[0])[2]);
  Object.assign(type ?? {}, { value: Buffer.from('2a864886f70d010702', 'hex') });
  expect(await check(written(typed), certificates.root)).toMatchObject({
    code: 'SIG_CONSTRAINTS_FAILURE.noAttributes',
  });
  const [digest] = children(children(signersOf(signed)[0])[2]);
  const announced = children(children(children(children(children(signed)[1])[0])[1])[0])[0];
  for (const one of [digest, announced]) Object.assign(one ?? {}, { value: Buffer.from('2a8648ce3d040302', 'hex') });
  const problem = expect.stringContaining('digestAlgorithm is the signature algorithm 1.2.840.10045.4.3.2');
  expect(await check(written(signed), certificates.root)).toMatchObject({ problem });
});
