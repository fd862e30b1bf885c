import type { AwsRequest, InvokeWrapper, RequestWrapper } from '@business-loan-orders/embedded-aws';
import { expect, test } from 'vitest';
import { answer, loseAnswer, loseRequest } from '../../../test/helpers/faults.ts';
import { innProblem } from '../../core/inn.ts';
import type { InnBatch } from '../../core/inn-batch.ts';
import { openExchangeWorld } from '../helpers/open-world.ts';

const KINDS = ['throttled', 'failed', 'reset', 'killed'] as const;
/** The SDK makes two attempts, so two runs of a function fail, or one is killed. */
const TIMES = { throttled: 3, failed: 3, reset: 3, killed: 1 };
/** A round makes more requests to AWS than this. */
const REQUESTS = 80;

/** What befalls the requests of functions to AWS from a position on. */
const strikes: { kind: (typeof KINDS)[number]; after: boolean; position: number; left: number }[] = [];
let requests = 0;
const running = new Map<string, AbortController>();

const requestWrapper: RequestWrapper = async (request, serve) => {
  if (!running.has(request.accessKeyId)) return undefined;
  requests += 1;
  const strike = strikes.find(({ position, left }) => left > 0 && position <= requests);
  if (!strike) return undefined;
  strike.left -= 1;
  if (strike.after) await serve();
  if (strike.kind === 'killed') running.get(request.accessKeyId)?.abort();
  if (strike.kind === 'reset' || strike.kind === 'killed') return 'reset';
  return strike.kind === 'failed' ? { status: 500, code: 'InternalError' } : throttling(request);
};
const throttling = ({ service }: AwsRequest) =>
  service === 'S3'
    ? { status: 503, code: 'SlowDown' }
    : { status: 400, code: service === 'AWSEvents' ? 'ThrottlingException' : 'ProvisionedThroughputExceededException' };

const invokeWrapper: InvokeWrapper = (name, event, invoke) => {
  const killed = new AbortController();
  running.set(name, killed);
  return invoke(event, killed.signal);
};

const environment = { AWS_MAX_ATTEMPTS: '2' };
const world = await openExchangeWorld({ requestWrapper, invokeWrapper, environment });
const { exchange } = world.simulator;

const serviceFaults = [
  ['before', answer(500)],
  ['before', answer(429)],
  ['before', loseRequest],
  ['after', loseAnswer],
] as const;
const routes = ['GET /requests', 'GET /inns', 'POST /request/{requestId}/status', 'POST /inns'];
/** In these rounds each route meets each fault, and each kind of fault of AWS strikes in each quarter of a round. */
const rounds = [0, 1, 2, 3];

function planFaults(round: number): void {
  requests = 0;
  strikes.splice(
    0,
    strikes.length,
    ...KINDS.map((_kind, quarter) => {
      const kind = KINDS[(round + quarter) % KINDS.length] ?? 'failed';
      const position = 1 + ((4 * quarter + round) * REQUESTS) / 16;
      return { kind, after: (round + quarter) % 3 === 0, position, left: TIMES[kind] };
    }),
  );
  const due = new Map(routes.map((route, at) => [route, serviceFaults[(round + at) % serviceFaults.length]]));
  for (const when of ['before', 'after'] as const) {
    world.simulator.hooks[when] = async (call, request, reply) => {
      const route = `${call.method} ${call.route}`;
      const [moment, fails] = due.get(route) ?? [];
      if (moment !== when) return;
      due.delete(route);
      await fails?.(call, request, reply);
    };
  }
}

/** A run that fails leaves its work to the next one. */
async function fetched(work: string): Promise<void> {
  for (let runs = 0; runs < 3; runs += 1) if ((await world.run({ work })).status === 'SUCCEEDED') return;
  throw new Error(`${work} did not succeed.`);
}

/** Uploads a file, and uploads it again, as its answer says, if it was certainly not sent. Returns whether it was sent. */
async function sent(key: string, content: unknown): Promise<boolean> {
  for (let uploads = 0; uploads < 2; uploads += 1) {
    const { outcome, failure } = await world.send(key, content);
    if (outcome === 'sent') return true;
    if (!failure?.next.startsWith('The file was not sent.')) return false;
  }
  return false;
}

const taxNumber = (round: number) =>
  Array.from({ length: 10 }, (_, control) => `${770_700_000 + round}${control}`).find((inn) => !innProblem(inn)) ?? '';

/** Expects that a new request is staged as the exchange sent it, and returns its identifier. */
async function expectRequest(): Promise<string> {
  const [request] = exchange.addRequests(1, world.clock.now());
  await fetched('fetch-requests');
  expect(await world.downloadText(`legacy/requests/${request?.requestId}.json`)).toBe(JSON.stringify(request));
  return request?.requestId ?? '';
}

/** Expects that a new tax number is in one batch alone, and returns the name of the batch. */
async function expectBatch(inn: string): Promise<string> {
  exchange.addTaxNumbers([inn]);
  await fetched('fetch-inns');
  const batches = (await world.stagedTexts('legacy/inns/')).map((text) => JSON.parse(text ?? '') as InnBatch);
  const own = batches.filter(({ numbers }) => numbers.includes(inn));
  expect(own).toMatchObject([{ numbers: [inn] }]);
  return own[0]?.batch ?? '';
}

test.each(rounds)(
  'whatever befalls AWS and the exchange, nothing is lost, and offers arrive once: round %i',
  async (round) => {
    planFaults(round);
    const [inn, requestId] = [taxNumber(round), await expectRequest()];
    const batch = await expectBatch(inn);
    for (const newStatus of ['inProgress', 'issued']) {
      const status = { newStatus, loanAmount: 1, loanTerm: 12 };
      expect(await sent(`legacy/status/${requestId}.json`, status)).toBe(true);
      expect(exchange.statuses().findLast((one) => one.requestId === requestId)?.body).toEqual(status);
    }
    const isSent = await sent(`legacy/offers/${batch}.json`, { offers: [{ inn }] });
    const arrived = exchange.offers().filter(({ offers }) => offers.some((one) => one.inn === inn));
    expect(isSent ? [1] : [0, 1]).toContain(arrived.length);
    expect(strikes.map(({ left }) => left)).toEqual([0, 0, 0, 0]);
  },
);
