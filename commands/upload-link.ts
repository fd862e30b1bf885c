import { createHmac } from 'node:crypto';
import type { S3Client } from '@aws-sdk/client-s3';
import { documentType } from '../core/package/document-type.ts';
import { intakePart, isFileName } from '../core/package/intake-key.ts';
import { type AddCommand, linkMinutes, ofOrder, positive, withPlace } from './shared/arguments.ts';
import { clientSettings, LAPTOP_ENDPOINT, type PlaceOptions } from './shared/place.ts';
import { stackOutputs } from './shared/stack-outputs.ts';
import { type CommandResult, quoted, Refusal, time } from './shared/text.ts';

export const addUploadLink: AddCommand = (program, perform) =>
  ofOrder(program, 'upload-link', 'print a link with which somebody else can upload one file of an order')
    .argument('<file>', 'its path in the package, such as documents/charter.pdf')
    .option('--minutes <count>', 'how long the link can be used, at most 7 days', linkMinutes, 60)
    .option('--megabytes <count>', 'the largest file', positive, 100)
    .action(withPlace(perform, uploadLink));

const MINUTE = 60_000;
const MEGABYTE = 1_000_000;

/** The link has the rights of the user of the command, and expires with their credentials if these expire sooner. */
async function uploadLink(
  place: PlaceOptions,
  orderRef: string,
  file: string,
  { minutes, megabytes }: { minutes: number; megabytes: number },
): Promise<CommandResult> {
  const key = `orders/${orderRef}/${file}`;
  refuseOther(key, file);
  const bucket = (await stackOutputs(place))('IntakeBucket');
  const { S3Client } = await import('@aws-sdk/client-s3');
  const { config } = new S3Client(clientSettings(place));
  const [credentials, region] = [await config.credentials(), await config.region()];
  const wanted = new Date(Date.now() + minutes * MINUTE);
  const { expiration } = credentials;
  const expiresAt = expiration && expiration < wanted ? expiration : wanted;
  const upload = { bucket, key, mostBytes: megabytes * MEGABYTE, expiresAt };
  const fields = postForm({ ...credentials, region }, upload);
  const url = addressOf(place, config, bucket, region);
  const form = Object.entries(fields).map(([name, value]) => `  --form-string ${quoted(`${name}=${value}`)} \\`);
  return {
    lines: [
      `Whoever has this can upload ${file} of order ${orderRef} until ${time(expiresAt.toISOString())}, up to ${megabytes} MB:`,
      '',
      'curl --fail-with-body \\',
      ...form,
      `  -F ${quoted(`file=@${file.split('/').at(-1)}`)} ${quoted(url)}`,
    ],
    json: { url, fields, expiresAt: expiresAt.toISOString(), mostBytes: upload.mostBytes },
  };
}

/** @throws Refusal for a file that can never be part of an order, and for a decision, which must not be delegated. */
function refuseOther(key: string, file: string): void {
  const part = intakePart(key);
  const isOther = !part || part.part === 'decision' || part.part === 'misnamed-signature';
  if (!isOther && (part.part !== 'document' || isFileName(part.file))) return;
  throw new Refusal(
    `${file} is no file of an order that others may upload: use order.json, documents/<name> or signatures/<fileId>.sig. No link was made.`,
  );
}

/** The bucket's address for forms. The SDK reads the address of another AWS from the same variables. */
function addressOf({ local, endpoint }: PlaceOptions, config: S3Client['config'], Bucket: string, Region: string) {
  const { AWS_ENDPOINT_URL_S3: ofS3, AWS_ENDPOINT_URL: ofAll } = process.env;
  const other = local ? (endpoint ?? LAPTOP_ENDPOINT) : (ofS3 ?? ofAll);
  return other ? `${other.replace(/\/$/, '')}/${Bucket}` : config.endpointProvider({ Bucket, Region }).url.href;
}

type FormSigner = Awaited<ReturnType<S3Client['config']['credentials']>> & { region: string };

type AllowedUpload = Record<'bucket' | 'key', string> & { mostBytes: number; expiresAt: Date };

/**
 * The fields of a form with which anybody can upload one file to S3. Only a form's policy limits the size of the upload: a presigned PUT
 * cannot (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html).
 */
function postForm(signer: FormSigner, upload: AllowedUpload): Record<string, string> {
  const { accessKeyId, sessionToken, region } = signer;
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = [time.slice(0, 8), region, 's3', 'aws4_request'];
  const fields = {
    key: upload.key,
    // Without it, S3 stores binary/octet-stream, whatever the file is.
    'content-type': documentType(upload.key, ''),
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': [accessKeyId, ...scope].join('/'),
    'x-amz-date': time,
    ...(sessionToken && { 'x-amz-security-token': sessionToken }),
  };
  const named = Object.entries({ bucket: upload.bucket, ...fields }).map(([name, value]) => ({ [name]: value }));
  const conditions = [...named, ['content-length-range', 1, upload.mostBytes]];
  const allowed = JSON.stringify({ expiration: upload.expiresAt.toISOString(), conditions });
  const policy = Buffer.from(allowed).toString('base64');
  return { ...fields, policy, 'x-amz-signature': signatureOf(policy, signer.secretAccessKey, scope) };
}

/** The policy in Base64 is the string to sign. */
export function signatureOf(policy: string, secret: string, scope: readonly string[]): string {
  const hash = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  return hash(scope.reduce<string | Buffer>(hash, `AWS4${secret}`) as Buffer, policy).toString('hex');
}
