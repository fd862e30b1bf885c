import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { downloading, inject, type ServiceFault } from '../../helpers/faults.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';

/** Small enough to be exceeded by what a test can send. */
const environment = { LIMIT_DOCUMENT_BYTES: '20000' };
const world = await openWorld({ settings: { ...SIGNATURES_AT_ONCE, ...NO_OFFERS }, environment });

async function problemsOf(orderRef: string) {
  await world.aws.settle();
  return (await world.packageProblems(orderRef)) ?? [];
}

test('a package with a large order.json or document is rejected', async () => {
  const content = orderPackage();
  await world.put('large-order', 'documents/charter.pdf', 'charter');
  await world.put('large-order', 'order.json', { ...content, order: { ...content.order, text: 'x'.repeat(2 ** 20) } });
  expect(await problemsOf('large-order')).toMatchObject([
    { path: '$', problem: 'order.json is larger than 1048576 bytes.' },
  ]);

  await world.put('large-file', 'documents/charter.pdf', 'x'.repeat(20_001));
  await world.put('large-file', 'order.json', content);
  expect(await problemsOf('large-file')).toMatchObject([
    {
      path: '$.documents[0].file',
      problem: expect.stringContaining('20001 bytes'),
      fix: expect.stringContaining("The stage's setting limits.documentBytes does not allow more."),
    },
  ]);
  await world.putAndSettle('large-file', 'documents/charter.pdf', 'x'.repeat(20_000));
  expect(await world.record('large-file')).toMatchObject({ documents: [{ size: 20_000 }] });
});

test('an order fails while a document to sign is too large, and the cause says so', async () => {
  const large =
    (headers: Record<string, string>): ServiceFault =>
    async (_call, _request, reply) => {
      const parts = [Buffer.alloc(20_000), Buffer.alloc(1)];
      await reply.code(200).headers(headers).send(Readable.from(parts));
    };
  const cause = expect.stringContaining("is larger than the 20000 bytes of the stage's setting limits.documentBytes");
  for (const [orderRef, headers] of [
    ['declared', { 'content-length': '20001' }],
    ['undeclared', {}],
  ] as const) {
    inject(world.simulator, 'before', downloading, large(headers), 100);
    expect(await world.submitToEnd(orderRef)).toMatchObject({ failure: { error: 'UnexpectedResponse', cause } });
    expect(await world.stagedKeys(orderRef)).not.toContainEqual(expect.stringContaining('to-sign/'));
  }
});
