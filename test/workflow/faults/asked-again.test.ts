import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { OrderItem } from '../../../core/order/order-item.ts';
import { accepting, answer, inject, loseRequest, type Matches, uploading } from '../../helpers/faults.ts';
import { NO_OFFERS, NO_SIGNATURES, openWorld } from '../../helpers/open-world.ts';

/** The service finishes its work before the next read, so no read shows IN_WORK. */
const world = await openWorld({ settings: { processingSeconds: 1, pollAfterSeconds: 2, documentsToSign: 1 } });
const { wrappers, simulator } = world;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

async function documentsSent(orderRef: string): Promise<(string | undefined)[]> {
  const calls = await world.calls(orderRef, uploading);
  return calls.map(({ requestBody }) => (requestBody?.kind === 'multipart' ? requestBody.files[0]?.sha256 : undefined));
}

test('a document that is replaced in intake before the service requests it again is sent in its new version', async () => {
  await world.submit('replaced', { scenario: 'documents-again' });
  await world.until('replaced', ({ status }) => status === 'WAITING_FOR_DOCUMENTS');
  await world.aws.runUntil(async () => (await world.calls('replaced', accepting)).length > 0);
  await world.put('replaced', 'documents/charter.pdf', 'a better scan');
  expect(await world.untilEnd('replaced')).toMatchObject({ status: 'CLOSED', rounds: { documents: { number: 2 } } });
  const sent = await documentsSent('replaced');
  expect(sent).toHaveLength(2);
  expect(sent[1]).toBe(sha256('a better scan'));
  expect(sent[0]).not.toBe(sent[1]);
});

test('a retry sends the replacements of documents that were not accepted, and every replacement is recorded unless it is empty', async () => {
  const names = ['first.pdf', 'second.pdf', 'third.pdf'];
  let calls = 0;
  const third: Matches = (call) => uploading(call) && ++calls === 3;
  inject(simulator, 'before', third, answer(422, { error: 'not a readable file' }));
  Object.assign(simulator.settings, NO_SIGNATURES);
  await world.submit('folder', { documents: names });
  expect(await world.untilEnd('folder')).toMatchObject({ waitingFor: 'operator', failure: { error: 'Rejected' } });
  await world.putAndSettle('folder', `documents/${names[0]}`, '');
  const line = 'Document not replaced: its newest version is empty, deleted, too large or unreadable';
  expect(await world.told('folder', line)).toHaveLength(1);
  expect(await world.record('folder')).not.toHaveProperty('documentsReplaced');
  await Promise.all(names.map((name) => world.put('folder', `documents/${name}`, `a better scan of ${name}`)));
  await world.aws.settle();
  expect(await world.record('folder')).toMatchObject({ documentsReplaced: 3 });
  await world.startNext('folder');
  expect(await world.untilEnd('folder')).toMatchObject({ status: 'CLOSED', rounds: { documents: { number: 1 } } });
  const sent = await documentsSent('folder');
  expect(sent).toHaveLength(4);
  expect(names.map((name) => sha256(`a better scan of ${name}`))).toContain(sent.at(-1));
});

/** Lambda's answer to the order's first read is lost. Its function is held until it is let go by what this returns. */
function loseFirstRead(orderRef: string): () => Promise<void> {
  const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let first: Promise<unknown> | undefined;
  wrappers.requestWrapper = async ({ operation, path }) => {
    if (operation !== 'PUT' || !path.includes(`${orderRef}/snapshot.json`)) return undefined;
    wrappers.requestWrapper = undefined;
    held.resolve();
    await world.aws.pauseUntil(go.promise);
    return undefined;
  };
  wrappers.invokeWrapper = async (functionName, _event, invoke) => {
    if (first || !functionName.endsWith('read-order')) return invoke();
    first = invoke();
    await held.promise;
    throw Object.assign(new Error('no answer'), { name: 'Lambda.SdkClientException' });
  };
  return async () => {
    go.resolve();
    await first;
  };
}

test('a read that another one has overtaken does not write its older status back, so documents are sent in one round only', async () => {
  Object.assign(simulator.settings, { ...NO_SIGNATURES, ...NO_OFFERS, processingSeconds: 3 });
  const endFirstRead = loseFirstRead('overtaken');
  let staged: OrderItem | undefined;
  inject(simulator, 'before', accepting, async (...call) => {
    await endFirstRead();
    // Its answer was staged over the newer one, so the next read stages its own.
    staged = await world.record('overtaken');
    await loseRequest(...call);
  });
  expect(await world.submitToEnd('overtaken')).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(staged).toMatchObject({ status: 'WAITING_FOR_DOCUMENTS' });
  expect(staged).not.toHaveProperty('snapshotSha256');
  expect(await world.calls('overtaken', uploading)).toHaveLength(1);
  expect(await world.calls('overtaken', accepting)).toHaveLength(2);
});
