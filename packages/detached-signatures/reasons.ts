/** Sentences by code. One with facts is a function of them. */
type Words = Record<string, string | ((facts: never) => string)>;

/** Each code with the facts of its sentence. */
type CodeOf<Of> = {
  [Code in keyof Of]: Of[Code] extends (facts: infer Facts) => string ? [code: Code, facts: Facts] : [code: Code];
}[keyof Of];

/** What is wrong with a signature, or was not checked. */
export interface Reason {
  code: string;
  params?: object | undefined;
  /** In English. */
  problem: string;
}

/** What a signature may have too much of. */
export type Limited =
  | 'levels'
  | 'signers'
  | 'certificates'
  | 'attributes'
  | `bytes in ${'an object identifier' | 'a certificate' | 'the name of an issuer' | 'signed attributes'}`;

/** Another document, or an earlier version. Without `document`, of the document itself. */
export interface Owner {
  document?: string;
  isEarlier?: boolean;
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

/** Codes begin with the sub-indication of ETSI EN 319 102-1 (section 5.1.3) that fits best. Times are ISO 8601 in UTC. */
export const REASONS = {
  ...framed(UNREADABLE, (why) => `It cannot be read as CMS SignedData: ${why}.`),
  ...framed(CERTIFICATE, (why) => `The signer's certificate cannot be used: ${why}.`),
  'CHAIN_CONSTRAINTS_FAILURE.certificate': ({ certificate, why }: { certificate: string; why: string }) =>
    `The certificate ${certificate} cannot be used because of its ${why}.`,
  ...framed(KEY, (why) => `The key of the signer's certificate cannot be used: ${why}.`),
  'FORMAT_FAILURE.attached': 'It contains the document. Make a detached signature.',
  'FORMAT_FAILURE.noSigner': 'It has no signer.',
  HASH_FAILURE: 'It is not the signature of this document.',
  'HASH_FAILURE.other': ({ document, isEarlier }: Owner) =>
    `It is the signature of ${isEarlier ? 'an earlier version of ' : ''}${document === undefined ? 'this document' : `the document ${document}`}.`,
  'HASH_FAILURE.timeStamp': 'The time stamp of the signature belongs to another signature.',
  SIG_CRYPTO_FAILURE:
    "The signature does not match the signer's certificate: it was altered, or made with another key.",
  'SIG_CRYPTO_FAILURE.keyType': "The signature's algorithm does not match the key of the signer's certificate.",
  'SIG_CRYPTO_FAILURE.timeStamp': 'The time stamp of the signature is not valid: it was altered.',
  'NO_POE.unreadable': 'The time stamp of the signature cannot be read.',
  'NO_POE.unchecked': 'The time stamp of the signature cannot be checked.',
  NO_SIGNING_CERTIFICATE_FOUND: "It does not contain the signer's certificate. Sign with the certificate included.",
  NO_CERTIFICATE_CHAIN_FOUND:
    "The signer's certificate was not issued by an authority that this stage trusts. Use one that was, and include the intermediate certificates.",
  'NO_CERTIFICATE_CHAIN_FOUND.unchecked':
    "The issuer of the signer's certificate was not checked: no authorities are configured.",
  REVOKED: ({ at }: { at: string }) => `The signer's certificate was revoked at ${at}.`,
  'TRY_LATER.expired': ({ at }: { at: string }) => `The revocation list of the signer's authority expired at ${at}.`,
  'TRY_LATER.noList': "There is no usable revocation list of the signer's authority.",
  'CRYPTO_CONSTRAINTS_FAILURE.digest': ({ identifier, name }: { identifier: string; name?: string | undefined }) =>
    `The digest algorithm ${name === undefined ? identifier : `${name} (${identifier})`} cannot be checked here. Sign with SHA-256, SHA-384, SHA-512 or Streebog.`,
  'CRYPTO_CONSTRAINTS_FAILURE.digestAlgorithm': ({ identifier }: { identifier: string }) =>
    `Its digestAlgorithm is the signature algorithm ${identifier}, which does not name a digest. Update the signing program, or sign with another one.`,
  'CRYPTO_CONSTRAINTS_FAILURE.signature': ({ identifier }: { identifier: string }) =>
    `The signature algorithm ${identifier} cannot be checked here, or not with its parameters. Sign with RSA, ECDSA or GOST R 34.10-2012, or with RSASSA-PSS and SHA-2.`,
  'SIG_CONSTRAINTS_FAILURE.notAccepted': ({ why }: { why: Reason }) =>
    `${why.problem} This stage does not accept such a signature.`,
  'SIG_CONSTRAINTS_FAILURE.contentType':
    'The signed attribute content-type is missing, or is not the type of the content.',
  'SIG_CONSTRAINTS_FAILURE.noAttributes':
    'It has no signed attributes, although it signs content of another type than data.',
  'SIG_CONSTRAINTS_FAILURE.signingCertificate':
    'The signed attribute signing-certificate names another certificate than the one in the signature.',
  'SIG_CONSTRAINTS_FAILURE.messageDigest': 'The signed attributes have no message-digest.',
  'SIG_CONSTRAINTS_FAILURE.size': ({ size, most }: { size: number; most: number }) =>
    `The document has ${size} bytes. GOST signatures can be checked only for documents of up to ${most} MiB. Sign it with RSA or ECDSA.`,
  'SIG_CONSTRAINTS_FAILURE.signers': ({ most }: { most: number }) =>
    `It has more than ${most} signers without signed attributes.`,
};

export type ReasonCode = CodeOf<typeof REASONS>;

export function reason(...[code, params]: ReasonCode): Reason {
  return { code, params, problem: say(REASONS, code, params) };
}

/** Thrown to end a check. Where the reason is the end of a sentence, `message` is only this end. */
export class InvalidSignature extends Error {
  readonly reason: Reason;

  constructor(...[code, params]: ReasonCode) {
    super(say({ ...REASONS, ...UNREADABLE, ...CERTIFICATE, ...KEY }, code, params));
    this.reason = { code, params, problem: say(REASONS, code, params) };
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
