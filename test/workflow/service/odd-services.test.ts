import { beforeEach, expect, test } from 'vitest';
import {
  accepting,
  creating,
  downloading,
  inject,
  loseAnswer,
  type Matches,
  reading,
  uploading,
} from '../../helpers/faults.ts';
import { OFFERS_AT_ONCE, SIGNATURES_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

const world = await openWorld({ settings: { documentsToSign: 2 } });

const usual = { ...world.simulator.settings };

beforeEach(() => {
  Object.assign(world.simulator.settings, usual);
});

const callsOf = async (orderRef: string, matches: Matches) => (await world.calls(orderRef)).filter(matches);

test.each([-1, 0, 90_000, '3', 'soon', null, undefined])(
  'a pollAfterSeconds of %j is logged, fails no order, and is never undercut',
  async (sent) => {
    const before = world.aws.logs().length;
    Object.assign(world.simulator.settings, { ...OFFERS_AT_ONCE, pollAfterSeconds: sent });
    const orderRef = `poll-${String(sent).replace('-', 'minus-')}`;
    await submit(world, orderRef);
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
    const lines = world.aws
      .logs()
      .slice(before)
      .filter(({ line }) => line.includes('"WARN"') && line.includes('pollAfterSeconds is'));
    expect(lines.length).toBeGreaterThan(0);
    expect((await callsOf(orderRef, reading)).filter(({ earlyBySeconds }) => earlyBySeconds)).toEqual([]);
  },
);

/** After each accept, this many reads answer WAITING_FOR_DOCUMENTS whatever the real status is. */
function answerStale(times: number) {
  let left = 0;
  world.simulator.hooks.before = async (call, _request, reply) => {
    if (accepting(call) && left === 0) left = times;
    if (!reading(call) || left === 0) return;
    left -= 1;
    await reply.code(200).send({ status: 'WAITING_FOR_DOCUMENTS', pollAfterSeconds: 2 });
  };
}

test('stale reads right after accept begin no second round of documents', async () => {
  answerStale(2);
  await submit(world, 'stale', { scenario: 'validation-fails-after-documents' });
  expect(await world.untilEnd('stale')).toMatchObject({ status: 'VALIDATION_FAILED', documentsRound: 1 });
  expect(await callsOf('stale', uploading)).toHaveLength(1);
  expect(await callsOf('stale', accepting)).toHaveLength(1);
});

/** The service accepts everything, and always requests the same documents again. */
test('an order whose documents are requested again and again fails with a clear cause instead of looping', async () => {
  answerStale(Number.POSITIVE_INFINITY);
  const { before: stale } = world.simulator.hooks;
  world.simulator.hooks.before = async (call, request, reply) => {
    await stale?.(call, request, reply);
    if (uploading(call)) await reply.code(201).send();
    if (accepting(call)) await reply.code(202).send();
  };
  await submit(world, 'stuck');
  const order = await world.untilEnd('stuck');
  expect(order).toMatchObject({ status: 'WAITING_FOR_DOCUMENTS', waitingFor: 'operator', documentsRound: 3 });
  expect(order.failure).toMatchObject({
    error: 'UnexpectedResponse',
    cause: expect.stringContaining('was asked 3 times for its documents'),
  });
  expect((await callsOf('stuck', reading)).length).toBeLessThan(80);
  expect(await callsOf('stuck', accepting)).toHaveLength(3);
});

test('a download that breaks off is repeated until the document is complete', async () => {
  inject(world.simulator, 'before', downloading, async (_call, _request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'application/pdf', 'content-length': 100_000 });
    reply.raw.write('%PDF-half of it');
    setImmediate(() => reply.raw.destroy());
  });
  Object.assign(world.simulator.settings, SIGNATURES_AT_ONCE);
  await submit(world, 'cut-download');
  expect(await world.untilEnd('cut-download')).toMatchObject({ status: 'CLOSED' });
  const downloads = await callsOf('cut-download', downloading);
  // Two documents and one repeat. Later both are downloaded again to be compared.
  expect(downloads).toHaveLength(5);
});

test('a status outside the specification fails the order with a clear cause, and the read is in staging', async () => {
  inject(world.simulator, 'before', reading, async (_call, _request, reply) => {
    await reply.code(200).send({ status: 'ARCHIVED', pollAfterSeconds: 2 });
  });
  await submit(world, 'unknown-status');
  const order = await world.untilEnd('unknown-status');
  expect(order.failure).toMatchObject({ error: 'UnexpectedResponse', cause: expect.stringContaining('snapshot.json') });
  expect(await world.stagedJson('unknown-status', 'snapshot.json')).toMatchObject({ status: 'ARCHIVED' });
});

test('the beginning of a long refusal is kept in staging', async () => {
  inject(world.simulator, 'before', creating, async (_call, _request, reply) => {
    await reply.code(422).send({ problems: 'x'.repeat(10_000) });
  });
  await submit(world, 'long-refusal');
  await world.untilEnd('long-refusal');
  const [key = ''] = (await world.stagedKeys('long-refusal')).filter((name) => name.startsWith('errors/'));
  expect((await world.stagedJson<{ body: string }>('long-refusal', key)).body).toMatch(/^\{"problems":"x{4000}/);
});

test('a lost accept of signatures counts as done when the next read shows the next signing round', async () => {
  world.simulator.settings.pollAfterSeconds = 60;
  let answers = 0;
  const ofSignatures: Matches = (call) => accepting(call) && ++answers === 2;
  inject(world.simulator, 'after', ofSignatures, loseAnswer);
  await submit(world, 'next-round', { scenario: 'second-signing-round' });
  expect(await world.untilEnd('next-round')).toMatchObject({ status: 'CLOSED', signaturesRound: { number: 2 } });
  expect(await callsOf('next-round', accepting)).toHaveLength(3);
});
