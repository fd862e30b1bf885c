import { readCertificates } from '@business-loan-orders/detached-signatures/certificate-path';
import { readRevocationLists } from '@business-loan-orders/detached-signatures/revocation';
import * as z from 'zod';
import { orderDataCheck } from '../core/package/order-data.ts';
import { textOf } from './text-file.ts';

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
  const error = `must be a whole number ${range}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

/** Limits a setting that may be long, to leave room in the environment for all others (test/infra/quotas.test.ts). */
export function fitsEnvironment(text: string, most: number, context: z.RefinementCtx): void {
  if (Buffer.byteLength(JSON.stringify(text)) <= most) return;
  const message = `must have at most ${most} bytes as JSON, because Lambda limits the environment of a function to 4 KB`;
  context.addIssue({ code: 'custom', message });
}

const KEY_ARN = /^arn:aws:kms:[a-z0-9-]+:\d{12}:key\/[A-Za-z0-9-]+$/;

/** The ARN of a KMS key. An alias is not enough: IAM policies need the key itself. */
export const keyArn = (error: string) => z.string({ error }).regex(KEY_ARN, { error });

/** Lists of revoked certificates are long. */
const MOST_PEM_BYTES = 64 * 2 ** 20;

/** A text that is parsed into another one. `problem` begins the sentence about an error of `parse`. */
const parsedText = (problem: string, parse: (text: string) => string) =>
  z.string().transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: `${problem}${(error as Error).message}` });
      return z.NEVER;
    }
  });

const pemIn = (text: string) => (text.includes('-----BEGIN') ? text : readFile(text));

/** PEM text of certificates, or the path of a PEM file. Parsed to the text. */
export const caBundle = parsedText('', (text) => authoritiesOf(pemIn(text)));

/** PEM text of lists of revoked certificates, or the path of a PEM file. Parsed to the text. */
export const revocationLists = parsedText('cannot be read as a list of revoked certificates: ', (text) => {
  const pem = pemIn(text);
  readRevocationLists(Buffer.from(pem));
  return pem;
});

/** The path of a file with a JSON Schema. Parsed to the schema's text. */
export const orderDataSchema = parsedText('cannot be used as a JSON Schema: ', (path) => {
  const text = textOf(path);
  const schema = parsedJson(text);
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) throw new Error('it is no JSON object');
  orderDataCheck(schema);
  return text;
});

/** Not the parser's error, because it quotes a file that may be any. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readFile(path: string): string {
  try {
    return textOf(path, MOST_PEM_BYTES);
  } catch (error) {
    throw new Error(`is neither PEM text nor the path of a file that can be read: ${(error as Error).message}`);
  }
}

/** The certificates without the comments that a bundle often has between them. */
function authoritiesOf(pem: string): string {
  const certificates = readCertificates(pem);
  if (certificates.length === 0) throw new Error('has no certificate in PEM');
  const other = certificates.find(({ ca }) => !ca);
  if (other) throw new Error(`has a certificate that is not an authority's: ${other.subject.replaceAll('\n', ', ')}`);
  return certificates.map((certificate) => certificate.toString()).join('');
}
