import { S3Client } from '@aws-sdk/client-s3';
import { intakePart, isFileName } from '../core/package/intake-key.ts';
import { postForm } from './package/post-form.ts';
import { clientSettings, LAPTOP_ENDPOINT, type PlaceOptions } from './stage/place.ts';
import { stackOutputs } from './stage/stack-outputs.ts';
import { type Answer, Refusal, time } from './text.ts';

export interface LinkOptions {
  minutes: number;
  megabytes: number;
}

const MINUTE = 60_000;
const MEGABYTE = 1_000_000;

/**
 * `upload-link <orderRef> <file>`: prints an address and a form with which somebody without an account can upload this one file. It has the
 * rights of whoever runs the command, and ends with their credentials if these end sooner.
 */
export async function uploadLink(
  place: PlaceOptions,
  orderRef: string,
  file: string,
  { minutes, megabytes }: LinkOptions,
): Promise<Answer> {
  const key = `orders/${orderRef}/${file}`;
  refuseOther(key, file);
  const bucket = (await stackOutputs(place))('IntakeBucket');
  const { config } = new S3Client(clientSettings(place));
  const [credentials, region] = [await config.credentials(), await config.region()];
  const wanted = new Date(Date.now() + minutes * MINUTE);
  const { expiration } = credentials;
  const expiresAt = expiration && expiration < wanted ? expiration : wanted;
  const upload = { bucket, key, mostBytes: megabytes * MEGABYTE, expiresAt };
  const fields = postForm({ ...credentials, region }, upload);
  const url = addressOf(place, config, bucket, region);
  const form = Object.entries(fields).map(([name, value]) => `  --form-string ${inShell(`${name}=${value}`)} \\`);
  return {
    lines: [
      `Whoever has this can upload ${file} of order ${orderRef} until ${time(expiresAt.toISOString())}, up to ${megabytes} MB:`,
      '',
      'curl --fail-with-body \\',
      ...form,
      `  -F ${inShell(`file=@${file.split('/').at(-1)}`)} ${inShell(url)}`,
    ],
    json: { url, fields, expiresAt: expiresAt.toISOString(), mostBytes: upload.mostBytes },
  };
}

/** A word for a shell: the names of files are the service's. */
const inShell = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

/** @throws Refusal for a file that can never be part of an order, and for a decision, which nobody else may make. */
function refuseOther(key: string, file: string): void {
  const part = intakePart(key);
  const isUsable =
    part &&
    part.part !== 'decision' &&
    part.part !== 'misnamed-signature' &&
    (part.part !== 'document' || isFileName(part.file));
  if (isUsable) return;
  throw new Refusal(
    `${file} is no file of an order that others may upload: use order.json, documents/<name> or signatures/<fileId>.sig. No link was made.`,
  );
}

/** Where the bucket takes forms. The SDK reads the address of another AWS from the same variables. */
function addressOf(
  { local, endpoint }: PlaceOptions,
  config: S3Client['config'],
  Bucket: string,
  Region: string,
): string {
  const { AWS_ENDPOINT_URL_S3: ofS3, AWS_ENDPOINT_URL: ofAll } = process.env;
  const other = local ? (endpoint ?? LAPTOP_ENDPOINT) : (ofS3 ?? ofAll);
  return other ? `${other.replace(/\/$/, '')}/${Bucket}` : config.endpointProvider({ Bucket, Region }).url.href;
}
