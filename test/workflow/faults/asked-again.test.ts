import { createHash } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { accepting, answer, confirming, inject, type Matches, reading, uploading } from '../../helpers/faults.ts';
import { MAIN_PATH, NO_SIGNATURES, OFFERS_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

/** The service finishes its work before the next read, so no read shows IN_WORK. */
const world = await openWorld({ settings: { processingSeconds: 1, pollAfterSeconds: 2, documentsToSign: 1 } });

afterEach(() => void Object.assign(world.simulator.settings, MAIN_PATH));

const callsOf = async (orderRef: string, matches: Matches) => (await world.calls(orderRef)).filter(matches);
const page = '<html>The order service is being maintained.</html>';

/** The SHA-256 of every document sent, in order. */
async function documentsSent(orderRef: string): Promise<(string | undefined)[]> {
  const calls = await callsOf(orderRef, uploading);
  return calls.map(({ requestBody }) => (requestBody?.kind === 'multipart' ? requestBody.files[0]?.sha256 : undefined));
}

test('documents that the service requests again are sent again', async () => {
  await submit(world, 'again', { scenario: 'documents-again' });
  expect(await world.untilEnd('again')).toMatchObject({ status: 'CLOSED', documentsRound: 2, generation: 1 });
  expect(await documentsSent('again')).toHaveLength(2);
  expect(await callsOf('again', accepting)).toHaveLength(3);
});

test('a document that is replaced in intake before the service requests it again is sent in its new version', async () => {
  await submit(world, 'replaced', { scenario: 'documents-again' });
  await world.until('replaced', ({ status }) => status === 'WAITING_FOR_DOCUMENTS');
  await world.aws.runUntil(async () => (await callsOf('replaced', accepting)).length > 0);
  await world.put('replaced', 'documents/charter.pdf', 'a better scan');
  expect(await world.untilEnd('replaced')).toMatchObject({ status: 'CLOSED', documentsRound: 2 });
  const sent = await documentsSent('replaced');
  expect(sent).toHaveLength(2);
  expect(sent[1]).toBe(createHash('sha256').update('a better scan').digest('hex'));
  expect(sent[0]).not.toBe(sent[1]);
});

test('after a whole package is uploaded again, a retry sends only the documents that were not accepted and records every replacement', async () => {
  const names = ['first.pdf', 'second.pdf', 'third.pdf'];
  let calls = 0;
  const third: Matches = (call) => uploading(call) && ++calls === 3;
  inject(world.simulator, 'before', third, answer(422, { error: 'not a readable file' }));
  Object.assign(world.simulator.settings, NO_SIGNATURES);
  await submit(world, 'folder', { documents: names });
  expect(await world.untilEnd('folder')).toMatchObject({ waitingFor: 'operator', failure: { error: 'Rejected' } });
  await Promise.all(names.map((name) => world.put('folder', `documents/${name}`, `a better scan of ${name}`)));
  await world.aws.settle();
  expect(await world.record('folder')).toMatchObject({ documentsReplaced: 3 });
  await world.startNext('folder');
  expect(await world.untilEnd('folder')).toMatchObject({ status: 'CLOSED', documentsRound: 1 });
  const sent = (await callsOf('folder', uploading)).filter(({ status }) => status === 201);
  expect(sent).toHaveLength(3);
});

test('a retry sends the replacement of a refused document, unless the replacement is empty', async () => {
  inject(world.simulator, 'before', uploading, answer(422, { error: 'not a readable file' }));
  Object.assign(world.simulator.settings, NO_SIGNATURES);
  await submit(world, 'refused');
  expect(await world.untilEnd('refused')).toMatchObject({ waitingFor: 'operator', failure: { error: 'Rejected' } });
  await world.put('refused', 'documents/charter.pdf', '');
  await world.aws.settle();
  expect((await world.items('refused')).map(({ what }) => what)).toContain(
    'Document not replaced: its newest version is empty, deleted or too large',
  );
  expect(await world.record('refused')).not.toHaveProperty('documentsReplaced');
  await world.put('refused', 'documents/charter.pdf', 'a better scan');
  await world.aws.settle();
  await world.startNext('refused');
  expect(await world.untilEnd('refused')).toMatchObject({ status: 'CLOSED', documentsRound: 1 });
  const sent = await documentsSent('refused');
  expect(sent.at(-1)).toBe(createHash('sha256').update('a better scan').digest('hex'));
  expect(sent).toHaveLength(2);
});

test('an order whose signatures are requested again and again fails with a clear cause', async () => {
  world.simulator.hooks.before = async (call, _request, reply) => {
    if (!accepting(call) || (await callsOf('endless', accepting)).length < 2) return;
    await reply.code(202).send();
  };
  await submit(world, 'endless');
  const order = await world.untilEnd('endless');
  expect(order).toMatchObject({ waitingFor: 'operator', signaturesRound: { number: 3, asked: { times: 3 } } });
  expect(order.failure).toMatchObject({
    error: 'UnexpectedResponse',
    cause: expect.stringContaining('was asked 3 times for the same signatures'),
  });
  expect((await callsOf('endless', reading)).length).toBeLessThan(80);
});

test.each([
  ['upload', uploading, NO_SIGNATURES],
  ['accept', accepting, NO_SIGNATURES],
  ['confirm', confirming, OFFERS_AT_ONCE],
])('an HTML page instead of the answer to %s stops the order, and a retry finishes it', async (name, matches, way) => {
  Object.assign(world.simulator.settings, way);
  inject(world.simulator, 'before', matches, async (_call, _request, reply) => {
    await reply.code(200).type('text/html').send(page);
  });
  await submit(world, `page-${name}`);
  expect(await world.untilEnd(`page-${name}`)).toMatchObject({
    waitingFor: 'operator',
    failure: { error: 'UnexpectedResponse', cause: expect.stringContaining('answered 200') },
  });
  await world.startNext(`page-${name}`);
  expect(await world.untilEnd(`page-${name}`)).toMatchObject({ status: 'CLOSED', generation: 2 });
});

test('a confirm that the service accepts without effect fails the order with a clear cause and is not repeated', async () => {
  inject(world.simulator, 'before', confirming, answer(202), Number.POSITIVE_INFINITY);
  Object.assign(world.simulator.settings, OFFERS_AT_ONCE);
  await submit(world, 'forgotten');
  expect(await world.untilEnd('forgotten')).toMatchObject({
    status: 'OFFERS_AVAILABLE',
    waitingFor: 'operator',
    failure: { error: 'UnexpectedResponse', cause: expect.stringContaining('is still OFFERS_AVAILABLE') },
  });
  const confirms = (await callsOf('forgotten', confirming)).map(({ path, requestBody }) => [path, requestBody]);
  expect(new Set(confirms.map((confirm) => JSON.stringify(confirm))).size).toBe(confirms.length);
});

test('a stale read from before the offers does not make a lost confirm count as done', async () => {
  let lost = false;
  let stale = false;
  world.simulator.hooks.before = async (call, request, reply) => {
    if (confirming(call) && !lost) {
      lost = true;
      request.raw.socket.destroy();
      await reply.send();
    } else if (reading(call) && lost && !stale) {
      stale = true;
      await reply.code(200).send({ status: 'IN_WORK', pollAfterSeconds: 2 });
    }
  };
  Object.assign(world.simulator.settings, OFFERS_AT_ONCE);
  await submit(world, 'older');
  expect(await world.untilEnd('older')).toMatchObject({ status: 'CLOSED' });
  expect(stale).toBe(true);
  const confirmed = (await callsOf('older', confirming)).filter(({ status }) => status === 202);
  const done = (await world.items('older')).filter(
    ({ item, state }) => item.startsWith('operation#confirm#') && state === 'done',
  );
  expect(confirmed).toHaveLength(done.length);
});
