import type { AwsRequest } from '@business-loan-orders/embedded-aws';
import { defaultOffers } from '@business-loan-orders/order-simulator';
import { expect, test } from 'vitest';
import { accepting, confirming, inject, loseAnswer } from '../../helpers/faults.ts';
import { choicesOf, decide } from '../../helpers/offers.ts';
import { NO_OFFERS, OFFERS_AT_ONCE, openWorld, SIGNATURES_AT_ONCE, SLOWER_SERVICE } from '../../helpers/open-world.ts';
import { clientOf } from '../../helpers/order-service-client.ts';
import { beforeFirst } from '../../helpers/requests.ts';
import { orderAtService, putSignature, signed } from '../../helpers/signatures.ts';

const world = await openWorld({ settings: { ...SLOWER_SERVICE, ...NO_OFFERS } });
const { wrappers } = world;

async function signNewest(orderRef: string): Promise<void> {
  const fileId = (await orderAtService(world, orderRef)).generatedDocuments.at(-1)?.fileId ?? '';
  await putSignature(world, orderRef, fileId, await signed(world, orderRef, fileId));
}

const decideOnFirst = async (orderRef: string) =>
  decide(world, orderRef, choicesOf(await orderAtService(world, orderRef)).slice(0, 1));

test.each([
  { arrival: 'signature', waitingFor: 'signatures', act: signNewest, options: {} },
  { arrival: 'decision', waitingFor: 'decision', act: decideOnFirst, options: { offers: { choose: 'manual' } } },
])(
  'a $arrival that arrives between the check for it and the record of the wait ends the wait',
  async ({ arrival, waitingFor, act, options }) => {
    const received = Promise.withResolvers<void>();
    let isHeld = false;
    const isWait = ({ operation, body }: AwsRequest) =>
      operation === 'UpdateItem' && body.includes(`":waitingFor":{"S":"${waitingFor}"}`);
    beforeFirst(world, isWait, async () => {
      isHeld = true;
      await act(`between-${arrival}`);
      await received.promise;
    });
    wrappers.invokeWrapper = async (functionName, _event, invoke) => {
      const result = await invoke();
      if (functionName.endsWith('receive-upload') && isHeld) received.resolve();
      return result;
    };
    Object.assign(
      world.simulator.settings,
      arrival === 'signature' ? SIGNATURES_AT_ONCE : { ...OFFERS_AT_ONCE, offers: defaultOffers },
    );
    const order = await world.submitToEnd(`between-${arrival}`, options, { signing: arrival !== 'signature' });
    expect(order).toMatchObject({ status: 'CLOSED', generation: 1 });
    expect(isHeld).toBe(true);
  },
);

test('a signature does not wake an execution after another one has taken over its order', async () => {
  Object.assign(world.simulator.settings, SIGNATURES_AT_ONCE);
  await world.submitToSign('taken-over');
  await world.startNext('taken-over');
  // The second execution waits before it reads, so the saved callback is still the first one's.
  await signNewest('taken-over');
  await world.aws.settle();
  expect((await world.executions('taken-over')).map(({ status }) => status)).toEqual(['RUNNING', 'RUNNING']);
  expect(await world.untilEnd('taken-over')).toMatchObject({ status: 'CLOSED', generation: 2 });
});

test('a signature of the second round does not end the wait of the first round', async () => {
  const received = Promise.withResolvers<void>();
  let firstWait: (() => Promise<unknown>) | undefined;
  let lines: string[] | undefined;
  wrappers.invokeWrapper = async (functionName, _event, invoke) => {
    const inSecondRound = (await world.record('rounds'))?.rounds?.signatures?.number === 2;
    if (functionName.endsWith('await-signatures') && !inSecondRound) firstWait = () => invoke();
    if (functionName.endsWith('download-document') && inSecondRound) {
      // The function of the first wait runs again late. Then a signature arrives before the second wait.
      await firstWait?.();
      const before = world.aws.logs().length;
      await signNewest('rounds');
      await received.promise;
      lines = world.aws
        .logs()
        .slice(before)
        .map(({ line }) => line);
    }
    const result = await invoke();
    if (functionName.endsWith('receive-upload') && inSecondRound) received.resolve();
    return result;
  };
  await world.submit('rounds', { scenario: 'second-signing-round' });
  expect(await world.untilEnd('rounds')).toMatchObject({ status: 'CLOSED', rounds: { signatures: { number: 2 } } });
  expect(lines?.filter((line) => line.includes('before the order waited for it'))).toHaveLength(1);
  expect(lines?.filter((line) => line.includes('was over before'))).toEqual([]);
});

test('a late first run of await-signatures does not replace the callback of the run that waits', async () => {
  let late: (() => Promise<unknown>) | undefined;
  wrappers.invokeWrapper = async (functionName, _event, invoke) => {
    if (!functionName.endsWith('await-signatures')) return invoke();
    if (!late) {
      // Step Functions takes this run for failed, and begins another one with its own task token.
      late = () => invoke();
      throw Object.assign(new Error('no answer'), { name: 'Lambda.SdkClientException' });
    }
    const result = await invoke();
    await late();
    return result;
  };
  Object.assign(world.simulator.settings, SIGNATURES_AT_ONCE);
  await world.submitToSign('late-run');
  expect(await world.untilEnd('late-run')).toMatchObject({ status: 'CLOSED' });
});

test('a run of choose-offer that begins after its order was confirmed elsewhere changes nothing', async () => {
  let late: (() => Promise<unknown>) | undefined;
  wrappers.invokeWrapper = async (functionName, _event, invoke) => {
    if (functionName.endsWith('choose-offer')) late = () => invoke();
    return invoke();
  };
  Object.assign(world.simulator.settings, OFFERS_AT_ONCE, { offers: defaultOffers });
  await world.submitUntil('undecided', ({ waitingFor }) => waitingFor === 'decision', { offers: { choose: 'manual' } });
  const order = await orderAtService(world, 'undecided');
  for (const choice of choicesOf(order).slice(0, 1))
    await clientOf(world.simulator).confirmOffer(order.orderId, choice);
  expect(await world.untilEnd('undecided')).toMatchObject({ status: 'CLOSED' });
  await world.aws.settle();
  const before = await world.items('undecided');
  await (late ?? expect.fail)();
  expect(await world.items('undecided')).toEqual(before);
});

test.each([
  { step: 'accept-order', call: accepting, way: SIGNATURES_AT_ONCE },
  { step: 'confirm-offer', call: confirming, way: { ...OFFERS_AT_ONCE, offers: defaultOffers } },
])('$step sends nothing again if its call was answered to nobody, and runs twice', async ({ step, call, way }) => {
  inject(world.simulator, 'after', call, loseAnswer);
  let runs = 0;
  wrappers.invokeWrapper = async (functionName, _event, invoke) => {
    const result = await invoke();
    // Step Functions takes the first run for failed, and begins another one.
    if (functionName.endsWith(step) && ++runs === 1)
      throw Object.assign(new Error('no answer'), { name: 'Lambda.SdkClientException' });
    return result;
  };
  Object.assign(world.simulator.settings, way);
  expect(await world.submitToEnd(step)).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(runs).toBeGreaterThan(1);
  const sent = (await world.calls(step, call)).map(({ requestBody }) => JSON.stringify(requestBody));
  expect(sent).toEqual([...new Set(sent)]);
});

test('an execution that is aborted while its last read finds the order CLOSED leaves nothing to an operator', async () => {
  const isClosed = Promise.withResolvers<void>();
  let isHeld = false;
  wrappers.requestWrapper = async ({ operation, body }) => {
    if (operation === 'UpdateItem' && body.includes('AbortedByOperator') && !isHeld) {
      isHeld = true;
      await isClosed.promise;
    }
    return undefined;
  };
  wrappers.invokeWrapper = async (functionName, _event, invoke) => {
    const isRead = functionName.endsWith('read-order');
    if (isRead && !isHeld && (await orderAtService(world, 'last-read')).status === 'CLOSED') {
      await world.stop('last-read');
      await expect.poll(() => isHeld).toBe(true);
      const result = await invoke();
      isClosed.resolve();
      return result;
    }
    return invoke();
  };
  Object.assign(world.simulator.settings, OFFERS_AT_ONCE);
  await world.submitToEnd('last-read');
  await world.aws.settle();
  expect(isHeld).toBe(true);
  const standing = { status: 'CLOSED', waitingFor: 'nobody' };
  expect(await world.record('last-read')).toMatchObject(standing);
  expect(await world.stagedJson('last-read', 'status.json')).toMatchObject(standing);
});
