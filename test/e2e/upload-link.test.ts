import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { signatureOf } from '../../commands/upload-link.ts';
import { commandsIn, inItsTime, outputOf } from '../helpers/commands-in.ts';
import { openWorld } from '../helpers/open-world.ts';

const HOUR = 3_600_000;
const world = await openWorld();
const { as, refusal } = commandsIn(world);
world.aws.addPerson('back-office', world.outputs.BackOfficePolicy ?? '');
world.aws.addPerson('signer', world.outputs.SignerPolicy ?? '');

interface Link {
  url: string;
  fields: Record<string, string>;
}

async function linkBy(person: string, ...args: string[]): Promise<Link> {
  const printed = await inItsTime(world, () => as(person, '--json', 'upload-link', 'linked', ...args));
  return JSON.parse(outputOf(printed)) as Link;
}

async function post({ url, fields }: Link, body: string, changes: Record<string, string> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...fields, ...changes })) form.set(name, value);
  form.set('file', new Blob([body]), 'charter.pdf');
  const response = await fetch(url, { method: 'POST', body: form });
  const text = await response.text();
  const [code, message] = [/<Code>(\w+)/, /<Message>([^<]*)/].map((part) => part.exec(text)?.[1]);
  return { status: response.status, code, message };
}

test("somebody else uploads one file with the rights of who made the link, and of no other person's", async () => {
  const link = await linkBy('back-office', 'documents/charter.pdf');
  expect(link.url).toBe(`${world.aws.endpoint}/${world.outputs.IntakeBucket}`);
  expect(await post(link, 'the charter')).toMatchObject({ status: 204 });
  const stored = { Bucket: world.outputs.IntakeBucket, Key: 'orders/linked/documents/charter.pdf' };
  const { Body, ContentType } = await new S3Client(world.aws.clientSettings).send(new GetObjectCommand(stored));
  expect(await Body?.transformToString()).toBe('the charter');
  expect(ContentType).toBe('application/pdf');
  expect(await post(await linkBy('signer', 'documents/charter.pdf'), 'a charter')).toMatchObject({
    status: 403,
    code: 'AccessDenied',
  });
});

// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html
test('S3 refuses another file, a larger one, an unknown field, and a link whose hour is over', async () => {
  const link = await linkBy('back-office', 'documents/charter.pdf', '--megabytes', '1');
  const key = 'orders/linked/order.json';
  expect(await post(link, '{}', { key })).toMatchObject({ status: 403, code: 'AccessDenied' });
  expect(await post(link, 'a'.repeat(1_000_001))).toMatchObject({ status: 400, code: 'EntityTooLarge' });
  expect(await post(link, '')).toMatchObject({ status: 400, code: 'EntityTooSmall' });
  expect((await post(link, 'a', { acl: 'public-read' })).message).toContain('Extra input fields: acl');
  expect(await post({ ...link, fields: { key } }, 'a')).toMatchObject({ status: 403, code: 'AccessDenied' });
  await world.pass(HOUR);
  expect(await post(link, 'a')).toMatchObject({ status: 403, message: 'Invalid according to Policy: Policy expired.' });
});

test.each(['notes.txt', 'documents/', 'signatures/a.txt', '../other/order.json', 'decision.json'])(
  'no link is made for %s, which is no file of an order',
  async (file) => {
    expect(await refusal('upload-link', 'linked', file)).toContain('is no file of an order that others may upload');
  },
);

// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-post-example.html
test("the signature of AWS's example", () => {
  const policy = [
    '{ "expiration": "2015-12-30T12:00:00.000Z",',
    '  "conditions": [',
    '    {"bucket": "sigv4examplebucket"},',
    '    ["starts-with", "$key", "user/user1/"],',
    '    {"acl": "public-read"},',
    '    {"success_action_redirect": "http://sigv4examplebucket.s3.amazonaws.com/successful_upload.html"},',
    '    ["starts-with", "$Content-Type", "image/"],',
    '    {"x-amz-meta-uuid": "14365123651274"},',
    '    {"x-amz-server-side-encryption": "AES256"},',
    '    ["starts-with", "$x-amz-meta-tag", ""],',
    '',
    '    {"x-amz-credential": "AKIAIOSFODNN7EXAMPLE/20151229/us-east-1/s3/aws4_request"},',
    '    {"x-amz-algorithm": "AWS4-HMAC-SHA256"},',
    '    {"x-amz-date": "20151229T000000Z" }',
    '  ]',
    '}',
  ].join('\r\n');
  const scope = ['20151229', 'us-east-1', 's3', 'aws4_request'];
  const signature = signatureOf(
    Buffer.from(policy).toString('base64'),
    'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    scope,
  );
  expect(signature).toBe('8afdbf4008c03f22c2cd3cdb72e4afbb1f6a588f3255ac628749a66d7f09699e');
});
