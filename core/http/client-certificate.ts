import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { Unauthorized } from '../errors.ts';

/** How long before its end the log warns that a certificate expires. */
export const EXPIRES_SOON_DAYS = 30;

/** Our identity in a TLS connection. */
export interface ClientCertificate {
  /** PEM: our own certificate first, then those of the authorities between it and a root. */
  chain: string;
  privateKey: KeyObject;
  validFrom: Date;
  validTo: Date;
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const PRIVATE_KEY = /-----BEGIN (?<type>(?:[A-Z0-9]+ )*)PRIVATE KEY-----[\s\S]+?-----END \k<type>PRIVATE KEY-----/;

/**
 * Reads the secret of the client certificate. It is PEM text with the certificate chain and the private key, or a JSON object with
 * `certificate`, `privateKey` and, for an encrypted key, `passphrase`.
 * @throws Unauthorized that says what is wrong. It quotes neither the secret nor a parser's error, which might contain it.
 */
export function readClientCertificate(secret: string | undefined): ClientCertificate {
  if (!secret?.trim()) throw unusable('is empty');
  const { certificate, privateKey, passphrase } = partsOf(secret);
  const chain = certificate.match(CERTIFICATES) ?? [];
  if (chain.length === 0) throw unusable('has no certificate in PEM');
  const [own] = chain.map(parseCertificate);
  const key = parseKey(privateKey, passphrase);
  if (!own?.checkPrivateKey(key)) throw unusable('has a private key that does not belong to its first certificate');
  const [validFrom, validTo] = [new Date(own.validFrom), new Date(own.validTo)];
  return { chain: chain.join('\n'), privateKey: key, validFrom, validTo };
}

/** @throws Unauthorized if the certificate is not valid at `now`. */
export function checkDates({ validFrom, validTo }: ClientCertificate, now: Date): void {
  if (now >= validFrom && now <= validTo) return;
  const advice = 'Nothing was sent. Put a valid one into its secret (docs/deployment.md, Client certificate).';
  const what = now > validTo ? `expired at ${validTo.toISOString()}` : `is not valid before ${validFrom.toISOString()}`;
  throw new Unauthorized(`The client certificate ${what}. ${advice}`);
}

/** The error for a secret that cannot be used. `problem` continues the sentence "The secret of the client certificate …". */
export const unusable = (problem: string): Unauthorized =>
  new Unauthorized(
    `The secret of the client certificate ${problem}. Nothing was sent. Put the certificate chain and its private key into it (docs/deployment.md, Client certificate).`,
  );

/** If `parse` fails, `problem` replaces its error, which might quote the secret. */
function parsed<Result>(problem: string, parse: () => Result): Result {
  try {
    return parse();
  } catch {
    throw unusable(problem);
  }
}

function partsOf(secret: string): { certificate: string; privateKey: string; passphrase?: string } {
  if (!secret.trimStart().startsWith('{')) return { certificate: secret, privateKey: secret };
  const json: Record<string, unknown> = parsed('is neither PEM nor JSON', () => JSON.parse(secret));
  const { certificate, privateKey, passphrase } = json;
  if (typeof certificate !== 'string') throw unusable('has no text named certificate');
  if (typeof privateKey !== 'string') throw unusable('has no text named privateKey');
  return { certificate, privateKey, ...(typeof passphrase === 'string' && { passphrase }) };
}

const parseCertificate = (pem: string, index: number): X509Certificate =>
  parsed(`has a certificate that cannot be read (number ${index + 1})`, () => new X509Certificate(pem));

function parseKey(text: string, passphrase: string | undefined): KeyObject {
  const [pem] = PRIVATE_KEY.exec(text) ?? [];
  if (pem === undefined) throw unusable('has no private key in PEM');
  const isEncrypted = pem.includes('ENCRYPTED');
  if (isEncrypted && passphrase === undefined)
    throw unusable('has an encrypted private key and no passphrase, which only a JSON secret can have');
  const problem = `has a private key that ${isEncrypted ? 'its passphrase does not open' : 'cannot be read'}`;
  return parsed(problem, () => createPrivateKey({ key: pem, ...(passphrase !== undefined && { passphrase }) }));
}
