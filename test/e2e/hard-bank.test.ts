import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type RecordedCall, type Simulator, startSimulator } from '@business-loan-orders/order-simulator';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { examplePackage, uploadPackage } from '../../laptop/example-package.ts';
import { startLaptop } from '../../laptop/laptop.ts';
import { namedService } from '../../laptop/named-service.ts';
import { followOrders } from '../../laptop/run.ts';
import { type OddAnswer, oddAnswers } from '../simulation/faults/odd-answers.ts';
import { callOf } from '../simulation/faults/service-faults.ts';

// By hand, what heals in minutes: HARD_BANK=all, and =tokens for what stops every order. `npm run simulate -- --every-fault` tries what takes
// hours, in virtual time.
const KINDS = {
  all: /^(?!.*(16 hours|token))/,
  tokens: /token(?!.*16 hours)/,
  some: /gzip|BOM|name twice|page as file/,
};
const mode = (process.env.HARD_BANK ?? 'some') as keyof typeof KINDS;
const isAll = mode !== 'some';
const odd = Object.entries(oddAnswers)
  .filter(([kind]) => KINDS[mode].test(kind))
  .map(([, one]) => one);
const answers = odd.flatMap((one) => one.calls.map((call) => ({ call, one })));
/** With all, an order meets one odd answer: several outages in one order would take hours. */
const orders = (isAll ? answers : answers.filter(({ call }) => call === 'create')).map(
  (_one, order) => `order-${order}`,
);

function hardBank(simulator: Simulator): Map<string, OddAnswer[]> {
  const left = new Map<string, OddAnswer[]>();
  const underWay = new WeakMap<RecordedCall, OddAnswer>();
  const next = (called: RecordedCall): OddAnswer | undefined => {
    const name = callOf(called) ?? 'token';
    const order = simulator.orders().findIndex(({ orderId }) => orderId === called.orderId);
    const own = answers.filter((_one, at) => order === -1 || at % orders.length === order);
    const key = `${name} of ${order}`;
    const given =
      left.get(key) ??
      own
        .filter(({ call }) => call === name)
        .flatMap(({ one }) => Array<OddAnswer>(one.times ?? (one.seconds ? 6 : 1)).fill(one));
    left.set(key, given);
    return given.shift();
  };
  simulator.hooks.before = async (call, _request, reply) => {
    const given = next(call);
    if (given?.isDone) underWay.set(call, given);
    else if (given) await reply.send(given.give(reply, undefined, Date.now()));
  };
  simulator.hooks.after = async (call, _request, reply, payload) =>
    underWay.get(call)?.give(reply, payload, Date.now());
  return left;
}

test('with --service, orders of a bank that answers in every way that HTTP and OAuth allow are CLOSED without an operator', async () => {
  vi.stubEnv('TMPDIR', mkdtempSync(join(inject('temporaryDirectory'), 'hard-bank-')));
  onTestFinished(() => void vi.unstubAllEnvs());
  const settings = { pollAfterSeconds: 1, processingSeconds: 1, bankSeconds: 1, tokenLifetimeSeconds: 3 };
  const simulator = await startSimulator({ settings });
  onTestFinished(simulator.close);
  const { clientId: LOAN_ORDERS_CLIENT_ID, clientSecret: LOAN_ORDERS_CLIENT_SECRET } = simulator.settings;
  const credentials = { LOAN_ORDERS_CLIENT_ID, LOAN_ORDERS_CLIENT_SECRET };
  const service = await namedService(simulator.url, {}, credentials);
  const laptop = await startLaptop({ awsPort: async () => 0, say: () => undefined }, service);
  onTestFinished(laptop.close);
  const left = hardBank(simulator);
  const said: string[] = [];
  const { progress, signer, stop } = followOrders(laptop, {
    say: (orderRef, line) => void said.push(`${orderRef} ${line}`),
    files: { key: '', cert: '' },
    isPersons: () => false,
    signedLine: () => '',
  });
  onTestFinished(stop);
  signer.start();
  for (const orderRef of orders)
    await uploadPackage(laptop.s3, laptop.outputs.IntakeBucket ?? '', orderRef, examplePackage('two-offers'));
  const haveEnded = () => orders.every((orderRef) => progress.ends.has(orderRef));
  await progress.until(haveEnded, AbortSignal.timeout(isAll ? 3_000_000 : 60_000));
  const ends = said.filter((line) => line.includes('ended as'));
  expect(ends.sort(), said.join('\n')).toEqual(orders.map((orderRef) => `${orderRef} ended as CLOSED`).sort());
  expect([...left.values()].flat()).toEqual([]);
}, 3_100_000);
