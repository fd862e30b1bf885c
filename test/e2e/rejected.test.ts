import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test } from 'vitest';
import { answerKey } from '../../core/staging/rejected-upload.ts';
import { commandsIn, outputOf } from '../helpers/commands-in.ts';
import { NO_OFFERS, OFFERS_AT_ONCE, openWorld } from '../helpers/open-world.ts';
import { orderPackage } from '../helpers/packages.ts';

const settings = { ...OFFERS_AT_ONCE, ...NO_OFFERS };
const world = await openWorld({ settings });
world.aws.addPerson('of-the-operator', world.outputs.OperatorPolicy ?? '');
world.aws.addPerson('of-the-back-office', world.outputs.BackOfficePolicy ?? '');
world.aws.addPerson('of-the-signer', world.outputs.SignerPolicy ?? '');
world.aws.addPerson('of-data-protection', world.outputs.DataProtectionPolicy ?? '');

const { as, run } = commandsIn(world);

async function read(person: string, Key: string): Promise<string> {
  const credentials = { accessKeyId: person, secretAccessKey: 'any' };
  const s3 = new S3Client({ ...world.aws.clientSettings, credentials });
  const Bucket = world.outputs.StagingBucket;
  return s3.send(new GetObjectCommand({ Bucket, Key })).then(
    async ({ Body }) => (await Body?.transformToString()) ?? '',
    ({ name }: Error) => name,
  );
}

async function answerTo(orderRef: string, file: string): Promise<string> {
  const key = `orders/${orderRef}/${file}`;
  const upload = (await world.allAnswers()).find((one) => one.key === key);
  return upload ? answerKey(upload) : 'none';
}

describe('what only looks', () => {
  beforeAll(async () => {
    await world.forget(settings);
    await world.put('refused', 'order.json', { ...orderPackage(), order: {}, '\u202Esigning': 1 });
    await world.uploadAndSettle('orders/refused/Order.json');
    await world.uploadAndSettle('orders/lost/signatures/file.sig');
    await world.uploadAndSettle('scans/\u202E\u0007договор.pdf');
  });

  test('list --rejected shows packages with problems and unknown uploads with the reason and the answer, as the operator may', async () => {
    const stdout = outputOf(await as('of-the-operator', 'list', '--rejected', '--sort', 'order'));
    const [headings, ...lines] = stdout.trimEnd().split('\n');
    expect(headings).toMatch(/^UPLOAD +SINCE +LAST +ANSWER IN STAGING$/);
    const time = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\dZ';
    const like = (key: string, answer: string) =>
      expect.stringMatching(new RegExp(`^${key} +${time} +${time} +${answer}$`));
    expect(lines.filter((line) => !line.startsWith(' '))).toEqual([
      like('orders/lost/signatures/file.sig', 'rejected/orders/lost/signatures/file.sig/\\S+.json'),
      like('orders/refused/order.json', 'rejected/orders/refused/order.json/\\S+.json'),
      like('orders/refused/Order.json', 'rejected/orders/refused/Order.json/\\S+.json'),
      like('scans/%E2%80%AE%07договор.pdf', 'rejected/scans/%E2%80%AE%07(%[0-9A-F]{2})+.pdf/\\S+.json'),
    ]);
    expect(lines[1]).toMatch(/^ {2}There is no order with this orderRef, .+ and upload it there\.$/);
    expect(lines[3]).toBe('  $.order: It is empty. Add the order data.');
    expect(lines[4]).toMatch(/^ {2}\$\["%E2%80%AEsigning"\]: It is not a known property\./);
    expect(lines[5]).toMatch(/^ {2}\$\.\S+: The file \S+ is not in the package\. Add it: .+ orders\/refused\/\S+\.$/);
  });

  test('list --rejected --json gives the same for scripts, and other filters of list are refused', async () => {
    const { stdout } = await run('list', '--rejected', '--json', '--limit', '1', '--sort', 'order');
    const [line] = JSON.parse(stdout).rejected;
    expect(line).toMatchObject({ key: 'orders/lost/signatures/file.sig', problems: [{ code: 'noOrder' }] });
    expect(JSON.parse(stdout)).toEqual({ rejected: [line], older: 0 });
    expect((await run('list', '--rejected', '--limit', '1')).stdout).toContain('3 more lines: raise --limit');
    expect(await run('list', '--rejected', '--status', 'CLOSED')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("'--rejected' cannot be used with option '--status <status>'"),
    });
  });

  test('show of a rejected package says so and why, in place of an order that does not exist', async () => {
    const stdout = outputOf(await as('of-the-operator', 'show', 'refused'));
    expect(stdout).toContain('There is no order refused yet: its package was rejected.');
    expect(stdout).toContain('    $.order: It is empty. Add the order data.\n');
    const { stdout: json } = await run('show', 'refused', '--json');
    expect(JSON.parse(json)).toMatchObject({
      orderRef: 'refused',
      rejected: [{ kind: 'upload' }, { kind: 'package' }],
    });
    const problems = await run('show', 'refused', '--problems');
    expect(problems.stdout).toContain(
      'Rejected: orders/refused/order.json\n  $.order: It is empty. Add the order data.\n',
    );
    expect((await run('show', 'lost')).stdout).toContain('uploads that belong to no order');
    expect(await run('show', 'nobody')).toMatchObject({ code: 1, stderr: expect.stringContaining('list --rejected') });
  });

  test('the back office reads every answer, and the signer those to signatures', async () => {
    const answers = [await answerTo('refused', 'Order.json'), await answerTo('lost', 'signatures/file.sig')];
    for (const answer of answers) expect(await read('of-the-back-office', answer)).toContain('"problem"');
    expect(await read('of-the-signer', answers[0] ?? '')).toBe('AccessDenied');
    expect(await read('of-the-signer', answers[1] ?? '')).toContain('"problem"');
  });
});

test('an order shows what was rejected in its folder, an erasure takes that away, and a file that comes later is answered', async () => {
  await world.submitToEnd('erased');
  await world.uploadAndSettle('orders/erased/documents/Ivanov.pdf');
  const answer = await answerTo('erased', 'documents/Ivanov.pdf');
  expect((await run('show', 'erased')).stdout).toMatch(
    /Rejected uploads\n.*\n {2}orders\/erased\/documents\/Ivanov\.pdf /,
  );
  outputOf(await as('of-data-protection', 'erase', 'erased', '--confirm', 'erased'));
  expect((await run('list', '--rejected')).stdout).not.toContain('Ivanov');
  expect(await read('of-the-back-office', answer)).toBe('NoSuchKey');
  await world.uploadAndSettle('orders/erased/documents/charter.pdf');
  await world.uploadAndSettle('orders/erased/decision.json');
  const { stdout } = await run('list', '--rejected');
  expect(stdout.match(/The order is over and its files were removed/g)).toHaveLength(2);
});
