import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { answer, downloading, inject, type Matches, reading, type ServiceFault } from '../../helpers/faults.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE, submit } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';

/** Small enough to be exceeded by what a test can send. */
const environment = { LIMIT_ORDER_JSON_BYTES: '2000', LIMIT_DOCUMENT_BYTES: '20000', LIMIT_PACKAGE_BYTES: '30000' };
const world = await openWorld({ settings: { ...SIGNATURES_AT_ONCE, ...NO_OFFERS }, environment });

async function problemsOf(orderRef: string) {
  await world.aws.settle();
  return (await world.packageProblems(orderRef)) ?? [];
}

const named = (setting: string) =>
  expect.stringContaining(`The stage's setting limits.${setting} does not allow more.`);

test('a package with a large order.json or document, or that is large as a whole, is rejected with the setting that does not allow more', async () => {
  const content = orderPackage();
  await world.put('large-order', 'documents/charter.pdf', 'charter');
  await world.put('large-order', 'order.json', { ...content, order: { ...content.order, text: 'x'.repeat(2000) } });
  expect(await problemsOf('large-order')).toMatchObject([{ path: '$', fix: named('orderJsonBytes') }]);

  const documents = ['a.pdf', 'b.pdf'];
  for (const name of documents) await world.put('large-package', `documents/${name}`, 'x'.repeat(15_000));
  await world.put('large-package', 'order.json', orderPackage({ documents }));
  expect(await problemsOf('large-package')).toMatchObject([{ path: '$', fix: named('packageBytes') }]);

  await world.put('large-file', 'documents/charter.pdf', 'x'.repeat(20_001));
  await world.put('large-file', 'order.json', content);
  expect(await problemsOf('large-file')).toMatchObject([
    { path: '$.documents[0].file', problem: expect.stringContaining('20001 bytes'), fix: named('documentBytes') },
  ]);
  await world.put('large-file', 'documents/charter.pdf', 'x'.repeat(20_000));
  await world.aws.settle();
  expect(await world.record('large-file')).toMatchObject({ documents: [{ size: 20_000 }] });
});

test('an order fails while an answer or a document to sign is too large, and the cause names the setting', async () => {
  const large =
    (headers: Record<string, string>): ServiceFault =>
    async (_call, _request, reply) => {
      const parts = [Buffer.alloc(20_000), Buffer.alloc(1)];
      await reply.code(200).headers(headers).send(Readable.from(parts));
    };
  const offers = Array(6).fill({ offerId: 'offer', status: 'AVAILABLE' });
  const tooLarge = "is larger than the 20000 bytes of the stage's setting limits.documentBytes";
  const cases: [Matches, ServiceFault, string][] = [
    [downloading, large({ 'content-length': '20001' }), tooLarge],
    [downloading, large({}), tooLarge],
    [
      reading,
      answer(200, { status: 'IN_WORK', text: 'x'.repeat(3_000) }),
      'the body is longer than 3000 bytes (setting limits.answerBytes)',
    ],
    [
      reading,
      answer(200, { status: 'OFFERS_AVAILABLE', offers }),
      'it lists 6 offers, and at most 5 are read (setting limits.offers)',
    ],
  ];
  for (const [position, [matches, fault, cause]] of cases.entries()) {
    inject(world.simulator, 'before', matches, fault, 100);
    // Only the function that reads is loaded for these.
    if (position === 2)
      world.aws.useFunctionVariables({ ...environment, LIMIT_ANSWER_BYTES: '3000', LIMIT_OFFERS: '5' });
    await (position === 0 ? submit(world, 'too-much') : world.startNext('too-much'));
    const { failure } = await world.untilEnd('too-much');
    expect(failure).toMatchObject({ error: 'UnexpectedResponse', cause: expect.stringContaining(cause) });
  }
  expect(await world.stagedKeys('too-much')).not.toContainEqual(expect.stringContaining('to-sign/'));
});
