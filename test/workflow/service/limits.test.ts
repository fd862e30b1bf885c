import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { answer, downloading, inject, reading, type ServiceFault } from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { orderPackage, submit } from '../../helpers/packages.ts';

/** Small enough to be exceeded by what a test can send. */
const world = await openWorld({
  settings: { pollAfterSeconds: 2 },
  environment: {
    LIMIT_ORDER_JSON_BYTES: '2000',
    LIMIT_DOCUMENT_BYTES: '20000',
    LIMIT_PACKAGE_BYTES: '30000',
    LIMIT_ANSWER_BYTES: '20000',
    LIMIT_OFFERS: '5',
  },
});

async function problemsOf(orderRef: string) {
  await world.aws.settle();
  return (await world.packageProblems(orderRef)) ?? [];
}

const named = (setting: string) =>
  expect.stringContaining(`The stage's setting limits.${setting} does not allow more.`);

describe('a package is rejected, with the setting that does not allow more,', () => {
  test('with a large order.json', async () => {
    const content = orderPackage();
    await world.put('large-order', 'documents/charter.pdf', 'charter');
    await world.put('large-order', 'order.json', { ...content, order: { ...content.order, text: 'x'.repeat(2000) } });
    expect(await problemsOf('large-order')).toMatchObject([{ path: '$', fix: named('orderJsonBytes') }]);
  });

  test('with a large document, until a smaller one replaces it', async () => {
    await world.put('large-file', 'documents/charter.pdf', 'x'.repeat(20_001));
    await world.put('large-file', 'order.json', orderPackage());
    expect(await problemsOf('large-file')).toMatchObject([
      { path: '$.documents[0].file', problem: expect.stringContaining('20001 bytes'), fix: named('documentBytes') },
    ]);
    await world.put('large-file', 'documents/charter.pdf', 'x'.repeat(20_000));
    expect(await world.untilEnd('large-file')).toMatchObject({ status: 'CLOSED' });
  });

  test('that is large as a whole', async () => {
    const documents = ['a.pdf', 'b.pdf'];
    for (const name of documents) await world.put('large-package', `documents/${name}`, 'x'.repeat(15_000));
    await world.put('large-package', 'order.json', orderPackage({ documents }));
    expect(await problemsOf('large-package')).toMatchObject([{ path: '$', fix: named('packageBytes') }]);
  });
});

test('a document that becomes too large does not replace the one before', async () => {
  await submit(world, 'grows');
  await world.until('grows', ({ status }) => status === 'WAITING_FOR_SIGNATURE', { signing: false });
  const before = (await world.record('grows'))?.documents;
  await world.put('grows', 'documents/charter.pdf', 'x'.repeat(20_001));
  await world.aws.settle();
  expect((await world.record('grows'))?.documents).toEqual(before);
  expect(JSON.stringify(await world.items('grows'))).toContain('Document not replaced');
});

describe('an order fails, and the cause names the setting,', () => {
  test.each([
    [
      'the answers to its reads are too long',
      { status: 'IN_WORK', text: 'x'.repeat(20_000) },
      'the body is longer than 20000 bytes (setting limits.answerBytes)',
    ],
    [
      'its answers list too many offers',
      { status: 'OFFERS_AVAILABLE', offers: Array(6).fill({ offerId: 'offer', status: 'AVAILABLE' }) },
      'it lists 6 offers, and at most 5 are read (setting limits.offers)',
    ],
  ])('if %s', async (name, body, cause) => {
    const orderRef = `too-much-${name.length}`;
    inject(world.simulator, 'before', reading, answer(200, body), 100);
    await submit(world, orderRef);
    const { failure } = await world.untilEnd(orderRef);
    expect(failure).toMatchObject({ error: 'UnexpectedResponse', cause: expect.stringContaining(cause) });
  });

  test.each([
    ['with a Content-Length', { 'content-length': '20001' }],
    ['without one', {}],
  ])('if a document to sign is too large, %s', async (name, headers) => {
    const orderRef = `large-to-sign-${name.length}`;
    const send: ServiceFault = async (_call, _request, reply) => {
      await reply
        .code(200)
        .headers(headers)
        .send(Readable.from([Buffer.alloc(20_000), Buffer.alloc(1)]));
    };
    inject(world.simulator, 'before', downloading, send, 100);
    await submit(world, orderRef);
    const { failure } = await world.untilEnd(orderRef);
    expect(failure).toMatchObject({ error: 'UnexpectedResponse' });
    expect(failure?.cause).toContain("is larger than the 20000 bytes of the stage's setting limits.documentBytes");
    expect(await world.stagedKeys(orderRef)).not.toContainEqual(expect.stringContaining('to-sign/'));
  });
});
