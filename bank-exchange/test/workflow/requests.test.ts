import { StopExecutionCommand } from '@aws-sdk/client-sfn';
import type { RecordedCall } from '@business-loan-orders/order-simulator';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { variables } from '../../../core/settings.ts';
import { answer, inject, loseAnswer } from '../../../test/helpers/faults.ts';
import { pageSettings } from '../../core/settings.ts';
import { openExchangeWorld } from '../helpers/open-world.ts';
import { simulatedExchange } from '../simulator/index.ts';

const HOUR = 3_600_000;

const world = await openExchangeWorld({
  // Smaller pages than those of a stage, because each request costs a dozen requests to AWS.
  environment: variables(pageSettings, { take: 10, overlap: 2, perExecution: 100, requestsMember: undefined }),
  // A test can drop the event of an execution end.
  deliveryWrapper: (event, deliver) => {
    if (event.source !== 'aws.states' || !dropsEnds) deliver();
  },
});
let dropsEnds = false;
beforeEach(() => world.forget());

/** No execution and no log line contains a name, a tax number or a phone number of an applicant. */
afterEach(async () => {
  const texts = await world.readable();
  expect(texts.length).toBeGreaterThan(1);
  for (const text of texts) expect(text).not.toMatch(/Applicant Number|500100732259|900 000-00-00|7707083893/);
});

const { exchange } = world.simulator;
const { credentials } = simulatedExchange(world.simulator);
const fetching = (call: RecordedCall) => call.route === '/requests';
const keyOf = (requestId: string | undefined) => `legacy/requests/${requestId}.json`;
const listed = () =>
  exchange
    .requests()
    .map(({ requestId }) => keyOf(requestId))
    .sort();
/** The keys of requests, each time that one is staged. S3 sends an event of each. */
const staged: string[] = [];
const stopWatching = world.aws.watch((change) => {
  if (change.type === 'object' && change.key.startsWith('legacy/requests/')) staged.push(change.key);
});
afterAll(stopWatching);
beforeEach(() => void staged.splice(0));

/** Answers `GET /requests` with this text instead of the list of the service. */
const list = (text: string) => answer(200, text, { 'content-type': 'text/plain' });

const pages = (before = 0): RecordedCall[] => world.simulator.calls().filter(fetching).slice(before);
const fetchRequests = () => world.run({ work: 'fetch-requests' });

test('requests on several pages are all staged once while new ones arrive', async () => {
  exchange.addRequests(18);
  world.simulator.hooks.after = async (call) => {
    if (fetching(call) && exchange.requests().length < 22) exchange.addRequests(2);
  };
  const before = world.clock.now();
  const { status, result } = await fetchRequests();
  expect({ status, kept: result.kept }).toEqual({ status: 'SUCCEEDED', kept: listed().length });
  expect(pages().map(({ query }) => `${query?.skip}+${query?.take}`)).toEqual(['0+10', '8+10', '16+10']);
  expect(staged.sort()).toEqual(listed());
  const [first] = exchange.requests();
  expect(await world.stagedJson(keyOf(first?.requestId))).toEqual(first);
  const run = await world.findRun();
  expect(Date.parse(run?.watermark ?? '')).toBeGreaterThanOrEqual(before);
  expect(run?.execution).toBeUndefined();
});

test('the next run asks from one hour before the last one began, and stages nothing twice', async () => {
  exchange.addRequests(2);
  await fetchRequests();
  const { watermark = '' } = (await world.findRun()) ?? {};
  world.clock.advanceTo(world.clock.now() + 2 * HOUR);
  exchange.addRequests(1, Date.parse(watermark) - 30 * 60_000);
  const before = pages().length;
  const { result } = await fetchRequests();
  const from = new Date(Date.parse(watermark) - HOUR).toISOString();
  expect(new Set(pages(before).map(({ query }) => query?.creationDateFrom))).toEqual(new Set([from]));
  expect(result).toMatchObject({ kept: 1 });
  expect(staged.sort()).toEqual(listed());
});

test('a failed run does not move the watermark, and the next run fetches the same window', async () => {
  await fetchRequests();
  const earlier = await world.findRun();
  world.clock.advanceTo(world.clock.now() + HOUR);
  exchange.addRequests(15);
  inject(world.simulator, 'before', (call) => fetching(call) && call.query?.skip === '8', answer(400, { error: 'no' }));
  const failed = await fetchRequests();
  expect(failed).toMatchObject({ status: 'FAILED', error: 'UnexpectedResponse' });
  expect(failed.cause).toContain('the bank exchange answered 400');
  expect(await world.findRun()).toMatchObject({ watermark: earlier?.watermark });
  expect((await world.findRun())?.execution).toBeUndefined();
  const [refusal] = await world.stagedKeys('legacy/errors/');
  const kept = { error: 'UnexpectedResponse', httpStatus: 400, body: '{"error":"no"}' };
  expect(await world.stagedJson(refusal ?? '')).toMatchObject(kept);
  const { status, result } = await fetchRequests();
  expect({ status, kept: result.kept }).toEqual({ status: 'SUCCEEDED', kept: 5 });
  expect(staged.sort()).toEqual(listed());
});

test.each([
  ['503', answer(503), 3],
  ['a lost answer', loseAnswer, 2],
  ['429', answer(429), 2],
])('a fetch of requests that meets %s is repeated by the state machine', async (_name, fault, times) => {
  const [request] = exchange.addRequests(1);
  inject(world.simulator, fault === loseAnswer ? 'after' : 'before', fetching, fault, times);
  expect((await fetchRequests()).status).toBe('SUCCEEDED');
  expect(await world.downloadText(keyOf(request?.requestId))).toBeDefined();
});

test('a run that starts during another run leaves the work to it and succeeds', async () => {
  let second: string | undefined;
  inject(world.simulator, 'before', fetching, async () => {
    second = await world.begin({ work: 'fetch-requests' });
    await new Promise<void>((resolve) => {
      const look = async () => {
        const { status } = await world.look(second ?? '');
        if (status === 'RUNNING') setImmediate(look);
        else resolve();
      };
      void look();
    });
  });
  const before = pages().length;
  const first = await fetchRequests();
  const other = await world.look(second ?? '');
  expect([first.status, other.status]).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  expect(JSON.parse(other.output ?? '{}')).toMatchObject({ todo: 'leave' });
  expect((await world.history(second)).map(({ stateEnteredEventDetails }) => stateEnteredEventDetails?.name)).toContain(
    'Another run is at work',
  );
  const skips = pages(before).map(({ query }) => query?.skip);
  expect(skips).toEqual([...new Set(skips)]);
});

test('a run whose end was not recorded is taken over because its execution no longer runs', async () => {
  inject(world.simulator, 'before', fetching, answer(503), 100);
  dropsEnds = true;
  const stopped = await world.begin({ work: 'fetch-requests' });
  await world.aws.runUntil(async () => (await world.findRun())?.execution === stopped);
  await world.stepFunctions.send(new StopExecutionCommand({ executionArn: stopped }));
  await world.aws.settle();
  dropsEnds = false;
  expect((await world.findRun())?.execution).toBe(stopped);
  delete world.simulator.hooks.before;
  const { status, result } = await fetchRequests();
  expect({ status, work: result.work }).toEqual({ status: 'SUCCEEDED', work: 'fetch-requests' });
});

test('a request is staged byte for byte, and a changed one is staged again', async () => {
  const text = '{"fileName": "a.zip","requestId":"to-the-letter", "2":1, "1": 10.50, "sum":12345678901234567890}';
  inject(world.simulator, 'before', fetching, list(`[ ${text} ]`));
  await fetchRequests();
  expect(await world.downloadText(keyOf('to-the-letter'))).toBe(text);
  inject(world.simulator, 'before', fetching, list(`[${text.replace('a.zip', 'b.zip')}]`));
  await fetchRequests();
  expect(await world.downloadText(keyOf('to-the-letter'))).toContain('b.zip');
  expect(staged).toHaveLength(2);
});

test('elements without a requestId are kept separately, and the other requests are staged', async () => {
  inject(world.simulator, 'before', fetching, list('[{"fileName":"x"}, 7, {"requestId":"a/b"}]'));
  expect((await fetchRequests()).result).toMatchObject({ received: 3, kept: 1, unusable: 2 });
  expect((await world.stagedTexts('legacy/requests-unusable/')).sort()).toEqual(['7', '{"fileName":"x"}']);
  expect(await world.downloadText(keyOf('a%2Fb'))).toBe('{"requestId":"a/b"}');
});

test.each([
  ['{"requests":[]}', 'the body is not a JSON array'],
  ['[{"requestId":"INN 7707083893"', 'the body is not JSON'],
])('the unusable answer %s fails the run with a cause that does not quote it', async (text, problem) => {
  inject(world.simulator, 'before', fetching, list(text));
  const { error, cause } = await fetchRequests();
  expect(error).toBe('UnexpectedResponse');
  expect(cause).toContain(problem);
  expect(cause).not.toContain('7707083893');
});

test('an execution with unknown work fails with UnknownWork', async () => {
  expect(await world.run({ work: 'fetch-all' })).toMatchObject({ status: 'FAILED', error: 'UnknownWork' });
});

test('credentials without a scope fail the run with a cause that says where to put it', async () => {
  world.simulator.revokeAllTokens();
  world.simulator.settings.scopeRequired = true;
  await world.putCredentials({ ...credentials, scope: '' });
  const { error, cause } = await fetchRequests();
  expect(error).toBe('Unauthorized');
  expect(cause).toContain('scope in the credentials secret');
  await world.putCredentials(credentials);
  expect((await fetchRequests()).status).toBe('SUCCEEDED');
});
