/** Sentences by code. One with facts is a function of them. A second line is the next step, if it is not to sign again. */
type Words = Record<string, string | ((facts: never) => string)>;

/** Each code with the facts of its sentence. */
type CodeOf<Of> = {
  [Code in keyof Of]: Of[Code] extends (facts: infer Facts) => string ? [code: Code, facts: Facts] : [code: Code];
}[keyof Of];

/** What is wrong with a signature, or was not checked. */
export interface Reason {
  code: string;
  params?: object | undefined;
  /** In English, as the next step. */
  problem: string;
  fix?: string;
}

/** What a signature may have too much of. */
export type Limited =
  | 'levels'
  | 'signers'
  | 'certificates'
  | 'attributes'
  | `bytes in ${'an object identifier' | 'a certificate' | 'the name of an issuer' | 'signed attributes'}`;

/** Another document, an earlier version, or a form of the document. Without `document`, of the document itself. */
export interface Owner {
  document?: string;
  isEarlier?: boolean;
  form?: string;
  /** Another order, which has such a document. */
  order?: string;
}

/** Ends of sentences: why a signature cannot be read, or a certificate or its GOST key cannot be used. */
const UNREADABLE = {
  'FORMAT_FAILURE.encoding': 'it is not in DER, BER, PEM or Base64',
  'FORMAT_FAILURE.looksLike': ({ what }: { what: string }) => `it is a file of the format ${what}`,
  'FORMAT_FAILURE.blocks': 'it has more than one PEM block',
  'FORMAT_FAILURE.type': 'it is CMS, but not SignedData',
  'FORMAT_FAILURE.damaged': 'it is cut short or damaged',
  'FORMAT_FAILURE.longer': ({ bytes }: { bytes: number }) =>
    bytes === 1 ? '1 byte follows its end' : `${bytes} bytes follow its end`,
  'FORMAT_FAILURE.limit': ({ most, of }: { most: number; of: Limited }) => `it has more than ${most} ${of}`,
  'FORMAT_FAILURE.tag': 'it has a tag that CMS does not use',
  'FORMAT_FAILURE.elements': 'it has elements that do not belong to SignedData',
  'FORMAT_FAILURE.attributeTwice': 'it has a signed attribute twice',
  'FORMAT_FAILURE.certificate': 'one of its certificates cannot be read',
};
const CERTIFICATE = {
  NOT_YET_VALID: ({ from }: { from: string }) => `it is not valid before ${from}`,
  EXPIRED: ({ at }: { at: string }) => `it expired at ${at}`,
  'CHAIN_CONSTRAINTS_FAILURE.dates': 'its dates cannot be read',
  'CHAIN_CONSTRAINTS_FAILURE.keyUsage': 'its key is not for signing documents',
};
const KEY = {
  'CRYPTO_CONSTRAINTS_FAILURE.parameterSet': 'its parameter set is not one of RFC 7836 or RFC 4357',
  'CRYPTO_CONSTRAINTS_FAILURE.otherDigest': 'its parameters name another digest',
  'CRYPTO_CONSTRAINTS_FAILURE.keyBytes': ({ bytes }: { bytes: number }) => `it does not have ${bytes} bytes`,
  'CRYPTO_CONSTRAINTS_FAILURE.otherLength': 'its parameter set is for keys of another length',
  'CRYPTO_CONSTRAINTS_FAILURE.point': 'its point is not on the curve, or has a wrong order',
};

const CERTIFICATE_STEP = 'Sign with a certificate that is valid and meant for signing documents.';
const DOCUMENT_STEP = 'Download the document again, and sign that file unchanged (OpenSSL: with -binary).';
const ALGORITHM_STEP = 'Sign with RSA, ECDSA or GOST R 34.10-2012, and SHA-256, SHA-384, SHA-512 or Streebog.';
const LATER_STEP = 'Upload it again later. If it is refused again, ask the operators of the stage.';

/** Codes begin with the sub-indication of ETSI EN 319 102-1 (section 5.1.3) that fits best. Times are ISO 8601 in UTC. */
export const REASONS = {
  ...framed(UNREADABLE, (why) => `It cannot be read as CMS SignedData: ${why}.`),
  ...framed(CERTIFICATE, (why) => `The signer's certificate cannot be used: ${why}.\n${CERTIFICATE_STEP}`),
  'CHAIN_CONSTRAINTS_FAILURE.certificate': ({ certificate, why }: { certificate: string; why: string }) =>
    `The certificate ${certificate} cannot be used because of its ${why}.\n${CERTIFICATE_STEP}`,
  ...framed(KEY, (why) => `The key of the signer's certificate cannot be used: ${why}.\n${ALGORITHM_STEP}`),
  'FORMAT_FAILURE.attached': 'It contains the document.\nMake a detached signature.',
  'FORMAT_FAILURE.noSigner': 'It has certificates and no signature.\nHand in the detached signature of a document.',
  HASH_FAILURE: ({ found, expected }: Record<'found' | 'expected', string>) =>
    `It is not the signature of this document. It signs the digest ${found}, and the document has ${expected}.\n${DOCUMENT_STEP}`,
  'HASH_FAILURE.other': ({ document, isEarlier, form, order }: Owner) => {
    const what = form === undefined ? isEarlier && 'an earlier version of ' : `another form (${form}) of `;
    const which = document === undefined ? 'this document' : `the document ${document}`;
    return `It is the signature of ${what || ''}${order === undefined ? which : `a document of order ${order}`}.\n${DOCUMENT_STEP}`;
  },
  'HASH_FAILURE.timeStamp': 'The time stamp of the signature belongs to another signature.',
  SIG_CRYPTO_FAILURE: `The signature does not match the signer's certificate: it was altered, made with another key, or signs another document.\n${DOCUMENT_STEP}`,
  'SIG_CRYPTO_FAILURE.keyType': "The signature's algorithm does not match the key of the signer's certificate.",
  'SIG_CRYPTO_FAILURE.timeStamp': 'The time stamp of the signature is not valid: it was altered.',
  'NO_POE.unreadable': 'The time stamp of the signature cannot be read.',
  'NO_POE.unchecked': 'The time stamp of the signature cannot be checked.',
  NO_SIGNING_CERTIFICATE_FOUND: "It does not contain the signer's certificate.\nSign with the certificate included.",
  NO_CERTIFICATE_CHAIN_FOUND:
    "The signer's certificate was not issued by an authority that this stage trusts.\nUse one that was, and include the intermediate certificates.",
  'NO_CERTIFICATE_CHAIN_FOUND.unchecked':
    "The issuer of the signer's certificate was not checked: no authorities are configured.",
  REVOKED: ({ at }: { at: string }) => `The signer's certificate was revoked at ${at}.\n${CERTIFICATE_STEP}`,
  'TRY_LATER.expired': ({ at }: { at: string }) =>
    `The revocation list of the signer's authority expired at ${at}.\n${LATER_STEP}`,
  'TRY_LATER.noList': `There is no usable revocation list or OCSP response of the signer's authority.\n${LATER_STEP}`,
  TRY_LATER: ({ why }: { why: Reason }) => `${why.problem} The signature is checked again later.`,
  'CRYPTO_CONSTRAINTS_FAILURE.digest': ({ identifier, name }: { identifier: string; name?: string | undefined }) =>
    `The digest algorithm ${name === undefined ? identifier : `${name} (${identifier})`} cannot be checked here.\n${ALGORITHM_STEP}`,
  'CRYPTO_CONSTRAINTS_FAILURE.digestAlgorithm': ({ identifier }: { identifier: string }) =>
    `Its digestAlgorithm is the signature algorithm ${identifier}, which does not name a digest.\nUpdate the signing program, or sign with another one.`,
  'CRYPTO_CONSTRAINTS_FAILURE.signature': ({ identifier }: { identifier: string }) =>
    `The signature algorithm ${identifier} cannot be checked here, or not with its parameters.\n${ALGORITHM_STEP}`,
  'SIG_CONSTRAINTS_FAILURE.notAccepted': ({ why }: { why: Reason }) =>
    `${why.problem} This stage does not accept such a signature.${why.fix ? `\n${why.fix}` : ''}`,
  'SIG_CONSTRAINTS_FAILURE.contentType':
    'The signed attribute content-type is missing, or is not the type of the content.',
  'SIG_CONSTRAINTS_FAILURE.noAttributes':
    'It has no signed attributes, although it signs content of another type than data.',
  'SIG_CONSTRAINTS_FAILURE.signingCertificate':
    'The signed attribute signing-certificate names another certificate than the one in the signature.',
  'SIG_CONSTRAINTS_FAILURE.messageDigest': 'The signed attributes have no message-digest.',
  'SIG_CONSTRAINTS_FAILURE.size': ({ size, most }: { size: number; most: number }) =>
    `The document has ${size} bytes. GOST signatures can be checked only for documents of up to ${most} MiB.\nSign it with RSA or ECDSA.`,
  'SIG_CONSTRAINTS_FAILURE.signers': ({ most }: { most: number }) =>
    `It has more than ${most} signers without signed attributes.`,
};

export type ReasonCode = CodeOf<typeof REASONS>;

export function reason(...[code, params]: ReasonCode): Reason {
  const [problem = '', fix] = say(REASONS, code, params).split('\n');
  return { code, params, problem, ...(fix && { fix }) };
}

const FAILED = ['FORMAT_FAILURE', 'HASH_FAILURE', 'SIG_CRYPTO_FAILURE', 'REVOKED', 'EXPIRED', 'NOT_YET_VALID'];

/** The indication of ETSI EN 319 102-1 (section 5.1.3) for what is wrong, or was not checked. */
export const indicationOf = (code = '') =>
  FAILED.includes(code.split('.', 1)[0] ?? '') ? 'TOTAL-FAILED' : 'INDETERMINATE';

/** Thrown to end a check. Where the reason is the end of a sentence, `message` is only this end. */
export class InvalidSignature extends Error {
  readonly reason: Reason;

  constructor(...given: ReasonCode) {
    const [code, params] = given;
    super(say({ ...REASONS, ...UNREADABLE, ...CERTIFICATE, ...KEY }, code, params));
    this.reason = reason(...given);
  }
}

function say(words: Words, code: string, facts: object | undefined): string {
  const found = words[code] ?? '';
  return typeof found === 'function' ? found(facts as never) : found;
}

function framed<Of extends Words>(words: Of, frame: (text: string) => string): Of {
  const one = (text: Words[string]) => (typeof text === 'string' ? frame(text) : (facts: never) => frame(text(facts)));
  return Object.fromEntries(Object.entries(words).map(([code, text]) => [code, one(text)])) as Of;
}
