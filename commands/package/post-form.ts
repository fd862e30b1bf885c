import { createHmac } from 'node:crypto';

/** Credentials and place, as the SDK has them. */
export interface FormSigner {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
  region: string;
}

export interface AllowedUpload {
  bucket: string;
  key: string;
  /** Bytes. */
  mostBytes: number;
  expiresAt: Date;
}

/**
 * The fields of a form with which anybody can upload one file to S3. Only a form's policy limits the size of the upload: a presigned PUT
 * cannot (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html).
 */
export function postForm(signer: FormSigner, upload: AllowedUpload, now = new Date()): Record<string, string> {
  const { accessKeyId, sessionToken, region } = signer;
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = [time.slice(0, 8), region, 's3', 'aws4_request'];
  const fields = {
    key: upload.key,
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': [accessKeyId, ...scope].join('/'),
    'x-amz-date': time,
    ...(sessionToken && { 'x-amz-security-token': sessionToken }),
  };
  const named = Object.entries({ bucket: upload.bucket, ...fields }).map(([name, value]) => ({ [name]: value }));
  const conditions = [...named, ['content-length-range', 1, upload.mostBytes]];
  const policy = Buffer.from(JSON.stringify({ expiration: upload.expiresAt.toISOString(), conditions })).toString(
    'base64',
  );
  return { ...fields, policy, 'x-amz-signature': signatureOf(policy, signer.secretAccessKey, scope) };
}

/** The policy in Base64 is the string to sign. */
export function signatureOf(policy: string, secret: string, scope: readonly string[]): string {
  const hash = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  return hash(scope.reduce<string | Buffer>(hash, `AWS4${secret}`) as Buffer, policy).toString('hex');
}
