import { join } from 'node:path';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { SimulatorSettings } from '@business-loan-orders/order-simulator';
import { expect, test } from 'vitest';
import { boundaryOptions } from '../../commands/deploy.ts';
import { erase } from '../../commands/erase.ts';
import { connect } from '../../commands/shared/connection.ts';
import { stackOutputs } from '../../commands/shared/stack-outputs.ts';
import { signatureOf } from '../../commands/upload-link.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { commandsIn, inItsTime, outputOf } from '../helpers/commands-in.ts';
import { NO_OFFERS, OFFERS_AT_ONCE, openWorld, runSweep, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';
import { secretWords } from '../helpers/packages.ts';
import { beforeFirst } from '../helpers/requests.ts';
import { stagesWith } from '../helpers/stage-files.ts';
import { everythingOf, versionsOf } from '../helpers/stored-bytes.ts';
import { DAY } from '../helpers/world.ts';

const world = await openWorld();
/** Lets the orders to come begin late, where a test does not look at all that they have. */
const shorten = (outcomes: Partial<SimulatorSettings>) => Object.assign(world.simulator.settings, outcomes);
const SHORT = { ...OFFERS_AT_ONCE, ...NO_OFFERS };
world.aws.addPerson('AKIADATA', world.outputs.DataProtectionPolicy ?? '');

const { as: runAs, done, refusal: refused, run } = commandsIn(world);
const show = async (orderRef: string) => (await run('show', orderRef)).stdout;

async function end(orderRef: string): Promise<void> {
  await world.put(orderRef, 'documents/passport-of-Ivanov.pdf', `earlier bytes of ${orderRef}`);
  await world.submitToEnd(orderRef, { documents: ['passport-of-Ivanov.pdf'] });
}

async function personalWords(orderRef: string): Promise<string[]> {
  const offers = await world.stagedJson<{ offerId: string; creditOptions: { code: string }[] }[]>(
    orderRef,
    'offers.json',
  );
  const fileIds = (await world.record(orderRef))?.rounds?.signatures?.fileIds ?? [];
  const ofOffers = offers.flatMap(({ offerId, creditOptions }) => [offerId, ...creditOptions.map(({ code }) => code)]);
  const ofPackage = ['bytes of', 'Ivanov', 'CHARTER', 'company-1', 'crm-1', '%PDF', '51234567', 'First Bank'];
  return [...Object.values(secretWords), ...ofPackage, ...ofOffers, ...fileIds];
}

test('erase leaves nothing personal in both buckets and the table, and proves what it did', async () => {
  await end('erased');
  const words = await personalWords('erased');
  const before = await everythingOf(world, 'erased');
  expect(words.filter((word) => !before.includes(word))).toEqual([]);
  const versions = (await versionsOf(world, 'erased')).length;
  expect(outputOf(await runAs('AKIADATA', 'erase', 'erased', '--confirm', 'erased'))).toMatch(
    new RegExp(
      `^Order erased is erased: ${versions} versions of files and \\d+ items of its record\\. orders/erased/erased\\.json in staging proves it\\.\\n$`,
    ),
  );
  const after = await everythingOf(world, 'erased');
  expect(words.filter((word) => after.includes(word))).toEqual([]);
  expect(await world.stagedJson('erased', 'erased.json')).toMatchObject({
    orderRef: 'erased',
    files: { by: 'AKIADATA', versions, endedAt: expect.any(String) },
    record: { by: 'AKIADATA', items: expect.any(Number), endedAt: expect.any(String) },
  });
  const page = await show('erased');
  expect(page).toMatch(new RegExp(`^Files +removed \\S+ \\S+: ${versions} versions, by AKIADATA$`, 'm'));
  expect(page).toMatch(/^Record +reduced .* items, by AKIADATA$/m);
  expect(page).toMatch(/Files removed, .*by AKIADATA/);
});

test('erase may be repeated, removes what was uploaded since, and neither the orderRef nor the orderId is used again', async () => {
  shorten(SHORT);
  await end('repeated');
  await done('erase', 'repeated', '--confirm', 'repeated');
  expect(await done('erase', 'repeated', '--confirm', 'repeated')).toMatch(
    /^Order repeated was erased before, at \S+ \S+: nothing was left\.\n$/,
  );
  const proof = await world.stagedJson('repeated', 'erased.json');
  await world.put('repeated', 'documents/late.pdf', 'bytes that came late');
  await world.putAndSettle('repeated', 'signatures/late.sig', 'a signature that came late');
  const again = JSON.parse(await done('erase', 'repeated', '--confirm', 'repeated', '--json'));
  // Each of the two files was answered, because the order takes none any more.
  expect(again).toMatchObject({ orderRef: 'repeated', versions: 4, items: 0 });
  expect(await everythingOf(world, 'repeated')).not.toContain('late');
  expect(await world.stagedJson('repeated', 'erased.json')).not.toEqual(proof);
  const { orderId, openFor } = (await world.record('repeated')) ?? {};
  expect(openFor).toBeUndefined();
  const orders = world.simulator.orders().length;
  await world.submit('repeated');
  await world.aws.settle();
  expect(world.simulator.orders()).toHaveLength(orders);
  expect(await world.items(`#orderId/${orderId}`)).toMatchObject([{ holder: 'repeated' }]);
});

test('an erasure that breaks off is shown as incomplete, and goes on when it is repeated', async () => {
  await end('broken-off');
  const words = await personalWords('broken-off');
  let calls = 0;
  world.wrappers.requestWrapper = async ({ operation }) => {
    calls += operation === 'DELETE' ? 1 : 0;
    return operation === 'DELETE' && calls > 12 ? { status: 403, code: 'AccessDenied' } : undefined;
  };
  expect(await run('erase', 'broken-off', '--confirm', 'broken-off')).toMatchObject({ code: 1, stdout: '' });
  world.wrappers.requestWrapper = undefined;
  expect(await show('broken-off')).toMatch(/^Files +INCOMPLETE: being removed since .*, by local$/m);
  await done('erase', 'broken-off', '--confirm', 'broken-off');
  const after = await everythingOf(world, 'broken-off');
  expect(words.filter((word) => after.includes(word))).toEqual([]);
});

test('erase refuses what it must not erase, in one sentence each, and changes nothing', async () => {
  shorten({ ...SIGNATURES_AT_ONCE, ...NO_OFFERS });
  await world.submitToSign('running');
  const before = await versionsOf(world, 'running');
  const refusal = (...args: string[]) => refused('erase', ...args);
  expect(await refusal('running', '--confirm', 'running')).toBe(
    'Order running is WAITING_FOR_SIGNATURE: nothing was erased. Only an order that is over can be erased: it is CLOSED or VALIDATION_FAILED, or was dismissed.\n',
  );
  expect(await refusal('running', '--confirm', 'runing')).toBe(
    '--confirm says runing, not running: nothing was erased. Repeat the orderRef after --confirm.\n',
  );
  expect(await refusal('nobody', '--confirm', 'nobody')).toContain('There is no order nobody here');
  expect(await run('erase', 'running')).toMatchObject({ code: 2 });
  expect(await versionsOf(world, 'running')).toEqual(before);
});

test('a hold of the stage, or of an order while it runs, keeps it from erase, and from the sweep, until it is released, and every command says so', async () => {
  shorten({ ...SIGNATURES_AT_ONCE, ...NO_OFFERS });
  await world.submitToSign('held');
  const connection = await connect({ stage: 'local', local: true, endpoint: world.aws.endpoint });
  await expect(erase({ ...connection, outputs: () => 'true' }, 'held')).rejects.toThrow(
    'The stage keeps all data (retention.legalHold): nothing of order held was erased.',
  );
  expect(await done('hold', 'held')).toContain('Order held is on hold: the stage keeps it, and "erase" refuses it.');
  expect(await done('hold', 'held')).toMatch(/^Order held is on hold already, since \S+ \S+, by local\.\n$/);
  await world.untilEnd('held');
  const before = await versionsOf(world, 'held');
  expect(await show('held')).toMatch(/^Legal hold +since \S+ \S+, by local$/m);
  expect(await refused('erase', 'held', '--confirm', 'held')).toContain('is on hold: nothing more of it was erased.');
  world.clock.advanceTo(world.clock.now() + 1_000 * DAY);
  await runSweep(world);
  expect(await versionsOf(world, 'held')).toEqual(before);
  const released = await runAs('AKIADATA', 'hold', 'held', '--release');
  expect(released).toMatchObject({ code: 0, stdout: expect.stringContaining('Order held is no longer on hold.') });
  expect(await done('hold', 'held', '--release')).toBe('Order held is not on hold.\n');
  await runSweep(world);
  expect([...new Set((await versionsOf(world, 'held')).map(({ file }) => file))]).toEqual(['erased.json']);
  const lines = (await world.told('held')).map(({ what }) => what);
  expect(lines).toEqual(expect.arrayContaining(['Put on hold', 'Hold released', 'Files removed']));
  expect(await refused('hold', 'held')).toBe('The data of order held was removed: there is nothing left to hold.\n');
});

test('a hold that comes while an order is erased keeps what is left', async () => {
  shorten(SHORT);
  await end('held-late');
  const Bucket = world.outputs.StagingBucket ?? '';
  // Nothing reacts to files in staging.
  for (let count = 0; count < 150; count += 1)
    await world.s3.send(new PutObjectCommand({ Bucket, Key: `orders/held-late/notes/${count}`, Body: 'any' }));
  const before = await versionsOf(world, 'held-late');
  beforeFirst(
    world,
    ({ operation, path }) => operation === 'DELETE' && path.includes(Bucket),
    () => done('hold', 'held-late'),
  );
  const refusal = await refused('erase', 'held-late', '--confirm', 'held-late');
  expect(refusal).toContain('Order held-late is on hold: nothing more of it was erased.');
  const after = await versionsOf(world, 'held-late');
  expect(after.every(({ bucket }) => bucket === Bucket)).toBe(true);
  expect(after.length).toBe(before.filter(({ bucket }) => bucket === Bucket).length - 100);
  expect(await show('held-late')).toMatch(/^Files +INCOMPLETE/m);
});

const HOUR = 3_600_000;
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

const STAGE = `orderService:
  baseUrl: https://orders.bank.ru
  authorizationUrl: https://login.bank.ru
account: "012345678901"
`;

test('stage explain says where each setting comes from', async () => {
  const folder = stagesWith({ 'prod-retail.yaml': STAGE });
  const { stdout } = await loanOrders(['stage', 'explain', 'prod-retail'], { LOAN_ORDERS_STAGES: folder });
  expect(stdout).toMatch(new RegExp(`^account +012345678901 +${join(folder, 'prod-retail.yaml')}:4$`, 'm'));
  expect(stdout).toMatch(/^sweep\.mostStarts +50 +default$/m);
});

test('bootstrap bounds the roles of the bootstrap too, unless the policy is one of AWS', () => {
  const bounds = ['--custom-permissions-boundary', 'bounds/loans', '--apply-permissions-boundary-to-all-roles'];
  expect(boundaryOptions('arn:aws:iam::012345678901:policy/bounds/loans')).toEqual(bounds);
  expect(boundaryOptions('bounds/loans')).toEqual(bounds);
  expect([boundaryOptions(), boundaryOptions('arn:aws:iam::aws:policy/PowerUserAccess')]).toEqual([[], []]);
});

test('LOAN_ORDERS_STAGE names the stage, and its file is checked', async () => {
  const environment = {
    LOAN_ORDERS_STAGES: stagesWith({ 'prod-leasing.yaml': 'keepdata: true\n' }),
    LOAN_ORDERS_STAGE: 'prod-leasing',
  };
  const { code, stderr } = await loanOrders(['list'], environment);
  expect(code).toBe(1);
  expect(stderr).toContain('prod-leasing.yaml:1: keepdata is true, but is not a setting: keepData is.');
});
const place = { stage: 'local', local: true, endpoint: world.aws.endpoint } as const;
const orderService = { baseUrl: 'https://orders.bank.ru', authorizationUrl: 'https://login.bank.ru' };
const here = { name: 'local' as const, account: world.aws.accountId, region: world.aws.region };

test('a missing stack is refused with the account and region that the stage belongs to', async () => {
  await expect(stackOutputs(place, undefined, { ...here, name: 'prod' })).rejects.toThrow(
    `The stage belongs to account ${here.account} and region ${here.region}.`,
  );
});

test('the prefix of names is that of the file of the stage or, without a file, that of the environment', async () => {
  const known = stagesWith({ 'known.json': { orderService, namePrefix: 'acme' } });
  const environment = { ...world.aws.environment, LOAN_ORDERS_STAGES: known, LOAN_ORDERS_NAME_PREFIX: 'other' };
  const sentenceOf = async (stage: string) => (await loanOrders(['list', '--stage', stage], environment)).stderr;
  expect(await sentenceOf('known')).toContain('There is no stack acme-LoanOrders-known in this account');
  expect(await sentenceOf('unknown')).toContain('There is no stack other-LoanOrders-unknown in this account');
});
