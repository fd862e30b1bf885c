import { deflateRawSync } from 'node:zlib';
import { defaultOffers } from '@business-loan-orders/order-simulator';
import { beforeAll, expect, test } from 'vitest';
import { replay } from '../../../commands/replay.ts';
import { decide as decideRead } from '../../../core/reading/decide.ts';
import { stays } from '../../../core/recovery/removed-order.ts';
import { loanOrders } from '../../helpers/command-line.ts';
import { outputOf } from '../../helpers/commands-in.ts';
import { accepting, answer, confirming, inject, loseAnswer, loseRequest, reading } from '../../helpers/faults.ts';
import { decide, untilOffers } from '../../helpers/offers.ts';
import { NO_OFFERS, OFFERS_AT_ONCE, openWorld } from '../../helpers/open-world.ts';

const world = await openWorld({ settings: { ...NO_OFFERS, processingSeconds: 3 }, ordersGoOn: true });
const { simulator } = world;

const ALL = ['documents-again', 'second-signing-round', 'lost-confirm', 'plain'];

/** Loses the answer to one accept. The answers to two reads of an order in a row differ, so every read changes the record, and is kept. */
function changeAnswers(): void {
  let isLost = false;
  const reads = new Map<string | undefined, number>();
  simulator.hooks.after = async (call, request, reply, payload) => {
    if (accepting(call) && !isLost) {
      isLost = true;
      await loseAnswer(call, request, reply);
    }
    if (!reading(call)) return undefined;
    const count = (reads.get(call.orderId) ?? 0) + 1;
    reads.set(call.orderId, count);
    return String(payload).replace(/"pollAfterSeconds":\d+/, `"pollAfterSeconds":${2 + (count % 2)}`);
  };
}

async function loseConfirm(orderRef: string): Promise<void> {
  const odd = [
    ...Array(3).fill(answer(429, {}, { 'retry-after': '9' })),
    ...Array(2).fill(answer(200, { status: '' })),
  ];
  inject(simulator, 'before', reading, (...call) => odd.shift()?.(...call), odd.length);
  Object.assign(simulator.settings, OFFERS_AT_ONCE, { bankSeconds: 15 });
  const { choices } = await untilOffers(world, orderRef);
  inject(simulator, 'before', confirming, loseRequest);
  await decide(world, orderRef, choices);
  await world.untilEnd(orderRef);
}

beforeAll(async () => {
  changeAnswers();
  await world.submitToEnd('documents-again', { scenario: 'documents-again' });
  await world.submit('second-signing-round', { scenario: 'second-signing-round' });
  await world.until('second-signing-round', ({ status }) => status === 'WAITING_FOR_SIGNATURE');
  await world.abort('second-signing-round');
  await world.startNext('second-signing-round');
  await world.untilEnd('second-signing-round');
  simulator.settings.offers = defaultOffers;
  await world.submitToEnd('plain', { documents: ['charter.pdf', 'balance.pdf'] });
  await loseConfirm('lost-confirm');
});

const run = (...args: string[]) => loanOrders(['--local', '--endpoint', world.aws.endpoint, 'replay', ...args]);
const tried = (judge: typeof decideRead) =>
  replay({ stage: 'local', local: true, endpoint: world.aws.endpoint }, ALL, 0, judge);

test('orders of several rounds, and those that met a fault, are decided again as they were', async () => {
  expect(outputOf(await run('--all', '--since', '99999d'))).toMatch(/^\d{2,} reads of 4 orders: 0 differ\n$/);
});

test.each<[string, typeof decideRead, RegExp]>([
  [
    'repeats are believed at once',
    (view, read, rules, now) => decideRead(view, read, { ...rules, repeatsLimit: 0, settlingSeconds: 0 }, now),
    /documents-again.* did wait.* would act; /,
  ],
  [
    'a read of offers fails',
    (...given) => {
      if (given[1].is === 'read' && given[1].order.status === 'OFFERS_APPROVED') throw new TypeError('broken');
      return decideRead(...given);
    },
    /OFFERS_APPROVED: did wait; .*; would fail with TypeError$/,
  ],
])('a version in which %s differs', async (_what, judge, line) => {
  const { exitCode, lines } = await tried(judge);
  expect({ exitCode, lines }).toEqual({ exitCode: 1, lines: expect.arrayContaining([expect.stringMatching(line)]) });
});

test('an order that cannot be replayed is listed, and the others are replayed', async () => {
  const { code, stdout } = await run('plain', 'unknown');
  expect(code).toBe(2);
  expect(stdout).toMatch(
    /^unknown was not replayed: There is no order unknown here.*\n\d+ reads of 1 order: 0 differ\n$/,
  );
});

test('a kept read that would inflate without end is not, and the order is listed', async () => {
  const bomb = deflateRawSync(Buffer.alloc(64 * 2 ** 20)).toString('base64');
  const at = '2026-01-01T00:00:00.000Z';
  await world.rewrite('lost-confirm', { at, what: 'Status IN_WORK', read: bomb }, `event#${at}#bomb`);

  const stdout = expect.stringMatching(/^lost-confirm was not replayed: .* is damaged, or too large\./);
  expect(await run('lost-confirm')).toMatchObject({ code: 2, stdout });
});

test('kept reads are small, are shown to nobody, and go with the rest of the record', async () => {
  const items = (await world.items('plain')).filter(({ read }) => read);
  expect(Math.max(...items.map(({ read }) => String(read).length))).toBeLessThan(1_500);
  expect(items.filter(({ item }) => stays(item))).toEqual([]);
  const { stdout } = await loanOrders(['--local', '--endpoint', world.aws.endpoint, '--json', 'show', 'plain']);
  expect(items.filter(({ read }) => stdout.includes(String(read)))).toEqual([]);
});
