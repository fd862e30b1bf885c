import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { NoSuchKey, NotFound, S3Client } from '@aws-sdk/client-s3';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { compilePattern } from '@business-loan-orders/embedded-aws';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { intakePart } from '../../../core/package/intake-key.ts';
import { UNDECIDED } from '../../../core/package/kept-decision.ts';
import { functionFolders } from '../../../infra/bundles/build.ts';
import { ANSWERS, PACKAGES } from '../../../infra/order/events.ts';
import { holds, text } from '../../helpers/any-input.ts';
import { expectFailedExecution, expectSentMembers, type State } from '../../helpers/sample-events.ts';

type Input = Record<string, unknown>;
type Answer = (input: Input) => unknown;

/** Answers without a server what functions that handle events ask of AWS, so that thousands of events take seconds. */
function pretendAws(order: { orderRef: string; item: string }, onPut: (key: string, text: string) => void): void {
  const Item = marshall(order);
  const isOurs = ({ orderRef, item }: Partial<typeof order>) => orderRef === order.orderRef && item === order.item;
  answerFor(DynamoDBClient, {
    Get: ({ Key }) => (isOurs(keyIn(Key)) ? { Item } : {}),
    Query: ({ ExpressionAttributeValues: values }) => {
      const { ':record': record, ':prefix': prefix } = unmarshall(values as Parameters<typeof unmarshall>[0]);
      const orderRef = checked(record, 2_048);
      return {
        Items: isOurs({ orderRef, item: prefix === undefined ? 'order' : checked(prefix, 1_024) }) ? [Item] : [],
      };
    },
    ...{ Put: write, Update: write, Delete: write },
  });
  answerFor(S3Client, {
    Head: ({ Key }) => objectAt(Key, NotFound),
    Get: ({ Key }) => objectAt(Key, NoSuchKey),
    ListObjects: () => ({}),
    Put: ({ Bucket, Key, Body }) => {
      const key = checked(Key, 1_024);
      if (Bucket === 'staging') onPut(key, String(Body));
      return { VersionId: 'written' };
    },
    Delete: ({ Key }) => ({ VersionId: checked(Key, 1_024).slice(0, 1) }),
  });
}

function answerFor(client: { prototype: object }, answers: Record<string, Answer>): void {
  const send = async (command: { input: Input }): Promise<unknown> => {
    const { name } = command.constructor;
    const answer = Object.entries(answers).find(([kind]) => name.startsWith(kind))?.[1];
    if (!answer) throw new Error(`Nobody expects ${name} here.`);
    return answer(command.input);
  };
  vi.spyOn(client.prototype as { send: typeof send }, 'send').mockImplementation(send);
}

function write(input: Input) {
  keyIn(input.Key ?? input.Item);
  checked(JSON.stringify(input), 400 * 1024);
  return {};
}

function keyIn(marshalled: unknown): { orderRef: string; item: string } {
  const { orderRef, item } = marshalled as Record<string, { S?: string }>;
  return { orderRef: checked(orderRef?.S, 2_048), item: checked(item?.S, 1_024) };
}

function objectAt(key: unknown, Missing: typeof NotFound | typeof NoSuchKey) {
  if (checked(key, 1_024) !== 'orders/full/order.json') throw new Missing({ message: '', $metadata: {} });
  const Body = { transformToByteArray: async () => Buffer.from('{'), destroy: () => undefined };
  return { VersionId: 'version-1', ContentLength: 1, ContentType: 'application/octet-stream', Body };
}

function checked(text: unknown, largest: number): string {
  if (typeof text === 'string' && text !== '' && text.isWellFormed() && Buffer.byteLength(text) <= largest) return text;
  throw new Error('ValidationException: AWS does not take this text');
}

const ENVIRONMENT = {
  AWS_REGION: 'eu-central-1',
  INTAKE_BUCKET: 'intake',
  STAGING_BUCKET: 'staging',
  ORDER_TABLE: 'orders',
  ORDER_STATE_MACHINE: 'machine',
  OFFERS_CHOOSE: 'manual',
  SIGNING_MODE: 'external',
  SIGNING_HAS_KEY: 'false',
  SIGNATURE_GATE: 'check',
  SIGNATURES_UNCHECKED: 'refuse',
  ALLOWED_SIGNERS: '[]',
  LARGEST_SIGNATURE_BYTES: '100000',
  OUTAGE_PATIENCE_HOURS: '72',
  LIMIT_DOCUMENT_BYTES: '100000',
};
const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 150_000 };
type Handler = (input: unknown, given: typeof context) => Promise<unknown>;
const handlers = {} as Record<keyof typeof rules, Handler>;
beforeAll(async () => {
  for (const [name, value] of Object.entries(ENVIRONMENT)) vi.stubEnv(name, value);
  // The functions read the settings of the stage once.
  vi.resetModules();
  for (const name of Object.keys(rules) as (keyof typeof rules)[])
    handlers[name] = (await import(`../../../functions/${name}/handler.ts`)).handler;
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => void vi.unstubAllEnvs());

let staged: Map<string, string>;

const order = {
  orderRef: 'known',
  item: 'order',
  status: 'WAITING_FOR_SIGNATURE',
  waitingFor: 'signatures',
  generation: 1,
  execution: 'arn:known-1',
  packageVersionId: 'v',
  documents: [{ file: 'documents/a.pdf', versionId: 'v' }],
  rounds: { signatures: { number: 1, fileIds: ['f'] } },
  decision: UNDECIDED,
};

beforeEach(() => pretendAws(order, (key, text) => void staged.set(key, text)));

const rules = {
  'check-package': compilePattern({ key: PACKAGES }),
  'receive-upload': compilePattern({ key: ANSWERS.map((wildcard) => ({ wildcard })) }),
};

async function upload(key: string): Promise<number> {
  staged = new Map();
  const body = JSON.stringify({ detail: { object: { key, size: 1, 'version-id': 'w' } } });
  const names = (['check-package', 'receive-upload'] as const).filter((name) => rules[name]({ key }));
  for (const name of names) {
    const answer = await handlers[name]({ Records: [{ messageId: 'm', body }] }, context);
    expect(answer, name).toEqual({ batchItemFailures: [] });
  }
  return names.length;
}

const REF = '[A-Za-z0-9][A-Za-z0-9._-]{0,63}';
const DOCUMENT = 'documents/[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*';
/** The keys that an order takes, or may take later, as docs/order-package.md says. Files of other functions are answered elsewhere. */
const TAKEN = [
  new RegExp(`^orders/${REF}/(order|decision)\\.json$`),
  // An order.json in any folder is looked at as a package.
  /^orders\/[^/]+\/order\.json$/s,
  new RegExp(`^orders/(?!known/)${REF}/(?=.{1,256}$)${DOCUMENT}$`),
  /^orders\/known\/documents\/a\.pdf$/,
  /^orders\/known\/signatures\/.+$/s,
];

const folders = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('known', 'full', 'new', 'a b', '..', 'x'.repeat(65)) },
  text,
);
const tops = fc.oneof(
  { weight: 8, arbitrary: fc.constant('orders') },
  fc.constantFrom('Orders', 'ORDERS', 'оrders', ''),
  text,
);
const files = ['order.json', 'Order.json', 'оrder.json', 'order.json.txt', 'decision.json', 'Decision.json'];
const documents = ['a.pdf', 'b.pdf', 'a b.pdf', 'signatures/a'].map((name) => `documents/${name}`);
const signatures = ['signatures/f.sig', 'signatures/documents/f.sig', 'Signatures/f.sig'];
const others = ['constructor', '__proto__/x', 'documents', 'signatures', '/', '//order.json'];
const names = fc.oneof(
  fc.constantFrom(...files),
  fc.constantFrom(...documents, 'Documents/a.pdf'),
  fc.constantFrom(...signatures, 'a/order.json', 'a/decision.json'),
  fc.constantFrom(...others),
  text,
  text.map((name) => `documents/${name}`),
  text.map((name) => `signatures/${name}`),
);
const [longest, longName, slashes] = ['Ы'.repeat(512), 'Ы'.repeat(505), '/'.repeat(1_000)];
const keys = fc
  .oneof(
    { weight: 6, arbitrary: fc.tuple(tops, folders, names).map((parts) => parts.join('/')) },
    text,
    fc.constantFrom(longest, `orders/known/${longName}`, '\u202Egpj.exe', `orders/${slashes}`),
  )
  .filter((key) => key !== '' && key.isWellFormed() && Buffer.byteLength(key) <= 1_024 && !key.startsWith('signing/'));

test('an upload with any key is taken by an order, or answered', () =>
  holds(keys, 300, async (key) => {
    expect(await upload(key)).toBeGreaterThan(0);
    const answers = answersInStaging();
    if (TAKEN.some((pattern) => pattern.test(key))) {
      expect(answers).toEqual([]);
      return;
    }
    const [answer = ''] = answers;
    expect(answers).toHaveLength(1);
    expect(answer).toMatch(/^rejected\/[\w.%~/-]+\.json$/);
    expect(answer).not.toMatch(/\/\//);
    const page = JSON.parse(staged.get(answer) ?? '');
    const sentence = expect.stringMatching(/\.$/);
    const problem = expect.objectContaining({ problem: sentence, fix: sentence, code: expect.any(String) });
    const { afterStart, ...answered } = page;
    expect([undefined, true]).toContain(afterStart);
    expect(answered).toEqual({ kind: 'upload', key, versionId: 'w', problems: [problem] });
  }));

function answersInStaging(): string[] {
  return [...staged].flatMap(([name, text]) =>
    name.startsWith('rejected/') && JSON.parse(text).kind === 'upload' ? [name] : [],
  );
}

async function answersTo(key: string): Promise<string[]> {
  await upload(key);
  return answersInStaging();
}

test('two long keys have two answers, although only their last letters differ', async () => {
  const answerTo = (last: string) => answersTo(`scans/${'Ы'.repeat(450)}${last}`);
  expect(new Set([...(await answerTo('а')), ...(await answerTo('б'))]).size).toBe(2);
});

test('two keys never have the same answer', () =>
  holds(fc.tuple(keys, keys), 150, async ([one, other]) => {
    const [first, second] = [await answersTo(one), await answersTo(other)];
    if (one !== other) expect(first.filter((name) => second.includes(name))).toEqual([]);
  }));

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'));
const named = Object.fromEntries(
  Object.entries(functionFolders(fileURLToPath(new URL('../../../', import.meta.url)))).filter(([, folder]) =>
    folder.startsWith('functions/'),
  ),
);
const eventIn = (name: string) => {
  const { Records, ...event } = read(`${named[name]}/event.json`);
  return Records ? JSON.parse(Records[0].body) : event;
};
const top = Object.values(read('statemachine/order.asl.json').States as Record<string, State>);
const states = [...top, ...top.flatMap(({ ItemProcessor }) => Object.values(ItemProcessor?.States ?? {}))];
const byEvents = ['sweep-orders', 'check-package', 'receive-upload', 'record-end'];

test.each(Object.keys(named).filter((name) => !byEvents.includes(name)))(
  'functions/%s/event.json is what the state machine sends',
  (name) => {
    expectSentMembers(states, name, read(`${named[name]}/event.json`));
  },
);

test.each([
  ['check-package', 'package'],
  ['receive-upload', 'signature'],
])('functions/%s/event.json is a batch with the event of an object of the right kind', (name, part) => {
  expect(intakePart(eventIn(name).detail.object.key)).toMatchObject({ part });
});

test('functions/record-end/event.json is the event of a failed execution', () => {
  expectFailedExecution(eventIn('record-end'));
});
