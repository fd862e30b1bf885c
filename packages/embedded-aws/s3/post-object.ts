import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { AwsError } from '../protocol/operation.ts';
import type { S3Context } from './object-operations.ts';
import { header, type S3Call } from './request.ts';

/** Form fields that need no condition in the policy. */
const UNNAMED = /^(file|policy|x-amz-signature|x-ignore-.*)$/;

const refused = (problem: string) => new AwsError('AccessDenied', problem, 403);
const againstPolicy = (problem: string) => refused(`Invalid according to Policy: ${problem}`);

/** An upload by an HTML form with a policy (S3 API reference, "POST Policy"). Signatures are not verified. */
export async function postObject(context: S3Context, call: S3Call): Promise<void> {
  const { bucket, response } = call;
  const { fields, file } = await readForm(call);
  const key = fields.get('key') ?? '';
  checkPolicy(new Map([...fields, ['bucket', bucket.name]]), file.size, context.clock.now());
  const [accessKeyId = '', , , service] = (fields.get('x-amz-credential') ?? '').split('/');
  if (service !== 's3') throw new AwsError('InvalidArgument', 'The credential must be scoped to the service s3.');
  call.checkRight(accessKeyId, { action: 's3:PutObject', resource: `${bucket.arn}/${key}` });
  const content = Buffer.from(await file.arrayBuffer());
  const etag = createHash('md5').update(content).digest('hex');
  const { size } = file;
  const headers = { 'content-type': fields.get('content-type') ?? 'binary/octet-stream' };
  const stored = { key, size, headers, etag, lastModified: context.clock.now(), segments: [{ content, size }] };
  const version = await bucket.add(stored);
  context.notifier({ ...call, key }, version, 'POST Object');
  response.writeHead(204, { etag: `"${etag}"`, 'x-amz-version-id': version.versionId }).end();
}

async function readForm({ request }: S3Call) {
  const headers = { 'content-type': header(request, 'content-type') ?? '' };
  const form = await new Response(Readable.toWeb(request) as ReadableStream<Uint8Array>, { headers })
    .formData()
    .catch(() => {
      throw new AwsError(
        'MalformedPOSTRequest',
        'The body of your POST request is not well-formed multipart/form-data.',
      );
    });
  const fields = new Map<string, string>();
  for (const [name, value] of form) if (typeof value === 'string') fields.set(name.toLowerCase(), value);
  const file = form.get('file');
  if (file instanceof File) return { fields, file };
  throw new AwsError('InvalidArgument', 'POST requires exactly one file upload per request.');
}

/** Throws an AwsError if the form's policy has expired or does not allow the fields or the file's size. */
function checkPolicy(fields: Map<string, string>, size: number, now: number): void {
  const { expiration, conditions } = parsePolicy(fields.get('policy'));
  if (!(Date.parse(expiration) > now)) throw againstPolicy('Policy expired.');
  const named = new Set<string>();
  for (const condition of conditions) {
    const [kind, first, second] = Array.isArray(condition)
      ? condition
      : ['eq', ...(Object.entries(condition)[0] ?? []).map((part, at) => (at === 0 ? `$${part}` : part))];
    if (kind === 'content-length-range') {
      if (size < Number(first))
        throw new AwsError('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size');
      if (size > Number(second))
        throw new AwsError('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size');
      continue;
    }
    const name = String(first).slice(1).toLowerCase();
    named.add(name);
    const value = fields.get(name) ?? '';
    const isMet = kind === 'starts-with' ? value.startsWith(String(second)) : kind === 'eq' && value === String(second);
    if (!isMet) throw againstPolicy(`Policy Condition failed: ${JSON.stringify([kind, first, second])}`);
  }
  const extra = [...fields.keys()].find((name) => !named.has(name) && !UNNAMED.test(name));
  if (extra !== undefined) throw againstPolicy(`Extra input fields: ${extra}`);
}

function parsePolicy(text: string | undefined): {
  expiration: string;
  conditions: (Record<string, string> | string[])[];
} {
  if (text === undefined) throw refused('Access Denied');
  try {
    return JSON.parse(Buffer.from(text, 'base64').toString());
  } catch {
    throw new AwsError('InvalidPolicyDocument', 'Invalid Policy: Invalid JSON.');
  }
}
