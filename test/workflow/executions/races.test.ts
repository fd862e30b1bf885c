import { StopExecutionCommand } from '@aws-sdk/client-sfn';
import { afterEach, expect, test } from 'vitest';
import type { InvokeWrapper, RequestWrapper } from '../../../local/aws/index.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { orderPackage, submit } from '../../helpers/packages.ts';
import { orderAtService, putSignature, signed } from '../../helpers/signatures.ts';

let invoked: InvokeWrapper | undefined;
let requested: RequestWrapper | undefined;

const world = await openWorld({
  settings: { documentsToSign: 1 },
  invokeWrapper: (functionName, event, invoke) => (invoked ? invoked(functionName, event, invoke) : invoke()),
  requestWrapper: async (request, serve) => requested?.(request, serve),
});

afterEach(() => {
  invoked = undefined;
  requested = undefined;
});

/** Puts a signature over the newest document to sign. */
async function signNewest(orderRef: string): Promise<void> {
  const fileId = (await orderAtService(world, orderRef)).generatedDocuments.at(-1)?.fileId ?? '';
  await putSignature(world, orderRef, fileId, await signed(world, orderRef, fileId));
}

/** Takes the first offer that can be taken. */
async function decide(orderRef: string): Promise<void> {
  const { offers } = await orderAtService(world, orderRef);
  const choices = offers
    .filter(({ status }) => status === 'AVAILABLE')
    .slice(0, 1)
    .map(({ offerId, creditOptions }) => ({ offerId, code: creditOptions[0]?.code }));
  await world.put(orderRef, 'decision.json', { choices });
}

test.each([
  { comes: 'signature', waitingFor: 'signatures', act: signNewest, options: {} },
  { comes: 'decision', waitingFor: 'decision', act: decide, options: { offers: { choose: 'manual' } } },
])(
  'a $comes that comes after it was looked for and before the record says that the order waits ends the wait',
  async ({ comes, waitingFor, act, options }) => {
    const received = Promise.withResolvers<void>();
    let isHeld = false;
    requested = async ({ operation, body }) => {
      const isWait = operation === 'UpdateItem' && body.includes(`":waitingFor":{"S":"${waitingFor}"}`);
      if (!isWait || isHeld) return undefined;
      isHeld = true;
      await act(`between-${comes}`);
      await received.promise;
      return undefined;
    };
    invoked = async (functionName, _event, invoke) => {
      const result = await invoke();
      if (functionName.endsWith('receive') && isHeld) received.resolve();
      return result;
    };
    await submit(world, `between-${comes}`, options);
    const order = await world.untilEnd(`between-${comes}`, { signing: comes !== 'signature' });
    expect(order).toMatchObject({ status: 'CLOSED', generation: 1 });
    expect(isHeld).toBe(true);
  },
);

test('a signature does not wake an execution that another one has taken the order over from', async () => {
  await submit(world, 'taken-over');
  await world.until('taken-over', ({ waitingFor }) => waitingFor === 'signatures', { signing: false });
  await world.startNext('taken-over');
  // The second execution waits before it reads: the callback that is found is still the first one's.
  await signNewest('taken-over');
  await world.aws.settle();
  expect((await world.executions('taken-over')).map(({ status }) => status)).toEqual(['RUNNING', 'RUNNING']);
  expect(await world.untilEnd('taken-over')).toMatchObject({ status: 'CLOSED', generation: 2 });
});

test('a signature of the second round does not end the wait of the first', async () => {
  const received = Promise.withResolvers<void>();
  let firstWait: (() => Promise<unknown>) | undefined;
  let lines: string[] | undefined;
  invoked = async (functionName, _event, invoke) => {
    const inSecondRound = (await world.record('rounds'))?.signaturesRound?.number === 2;
    if (functionName.endsWith('await-signatures') && !inSecondRound) firstWait = () => invoke();
    if (functionName.endsWith('download-document') && inSecondRound) {
      // The function of the first wait runs once more, late, and a signature comes before the second wait.
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
    if (functionName.endsWith('receive') && inSecondRound) received.resolve();
    return result;
  };
  await submit(world, 'rounds', { scenario: 'second-signing-round' });
  expect(await world.untilEnd('rounds')).toMatchObject({ status: 'CLOSED', signaturesRound: { number: 2 } });
  expect(lines?.filter((line) => line.includes('before the order waits for it'))).toHaveLength(1);
  expect(lines?.filter((line) => line.includes('was over before'))).toEqual([]);
});

/**
 * Holds the first answer to a package back until the order has been started, as an invocation does that is slower than a later one.
 */
function holdRejection(orderRef: string): Promise<void> {
  const held = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  requested = async ({ service, operation, path, body }) => {
    if (operation === 'StartExecution' && body.includes(`${orderRef}-1`)) started.resolve();
    if (service === 'S3' && operation === 'PUT' && path.includes(`${orderRef}/rejected.json`)) {
      held.resolve();
      await started.promise;
    }
    return undefined;
  };
  return held.promise;
}

test('a check that saw a file missing leaves no answer beside the order that has started meanwhile', async () => {
  const content = orderPackage({ documents: ['late.pdf'] });
  const held = holdRejection('slow-check');
  await world.put('slow-check', 'order.json', content);
  await held;
  await world.put('slow-check', 'documents/late.pdf', 'bytes');
  expect(await world.untilEnd('slow-check')).toMatchObject({ status: 'CLOSED' });
  expect(await world.staged('slow-check', 'rejected.json')).toBeUndefined();
});

test('nor does a check of a version that a newer one has taken the place of', async () => {
  const held = holdRejection('replaced');
  await world.put('replaced', 'documents/there.pdf', 'bytes');
  await world.put('replaced', 'order.json', orderPackage({ documents: ['missing.pdf'] }));
  await held;
  await world.put('replaced', 'order.json', orderPackage({ documents: ['there.pdf'] }));
  expect(await world.untilEnd('replaced')).toMatchObject({ status: 'CLOSED' });
  expect(await world.staged('replaced', 'rejected.json')).toBeUndefined();
});

/** Two events of a package that both find no order: the one that comes to record it second does so when the first has started it. */
async function overtake(orderRef: string, first: () => Promise<void>, second: () => Promise<void>): Promise<void> {
  const [one, both, started] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  let recordings = 0;
  requested = async ({ operation, body }) => {
    if (operation === 'StartExecution' && body.includes(`${orderRef}-1`)) started?.resolve();
    const isRecording =
      operation === 'PutItem' && body.includes('"item":{"S":"order"}') && body.includes(`"${orderRef}"`);
    if (!isRecording) return undefined;
    recordings += 1;
    if (recordings === 1) one?.resolve();
    else both?.resolve();
    await (recordings === 1 ? both : started)?.promise;
    return undefined;
  };
  // The events of what was uploaded before are through: they found no order.json.
  await world.aws.settle();
  await first();
  await one?.promise;
  await second();
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
  expect(recordings).toBe(2);
}

test('a document that is replaced while its package is being recorded is sent in its new version', async () => {
  const put = (content: unknown, file = 'documents/charter.pdf') => world.put('overtaken', file, content);
  await put('a scan');
  await overtake(
    'overtaken',
    () => put(orderPackage(), 'order.json'),
    () => put('a better scan'),
  );
  expect(await world.record('overtaken')).toMatchObject({ documentsReplaced: 1, documents: [{ size: 13 }] });
});

test('of two versions of order.json that are recorded at the same moment, the one that came second is answered', async () => {
  const put = (content: unknown, file = 'order.json') => world.put('twofold', file, content);
  await put('a scan', 'documents/charter.pdf');
  await overtake(
    'twofold',
    () => put(orderPackage()),
    () => put({ ...orderPackage(), offers: { choose: 'manual' } }),
  );
  expect(await world.record('twofold')).toMatchObject({ choose: 'rule' });
  expect(await world.stagedJson('twofold', 'rejected.json')).toMatchObject({ problems: [{ path: '$' }] });
});

test('a function that outlives its aborted execution does not make the order look as if somebody were at work on it', async () => {
  let reads = 0;
  invoked = async (functionName, _event, invoke) => {
    if (functionName.endsWith('read-order') && ++reads === 3) {
      const executionArn = (await world.record('outlived'))?.execution;
      await world.stepFunctions.send(new StopExecutionCommand({ executionArn, error: 'AbortedByOperator' }));
      await expect.poll(() => world.record('outlived')).toMatchObject({ failure: { error: 'AbortedByOperator' } });
    }
    return invoke();
  };
  await submit(world, 'outlived');
  await world.until('outlived', ({ waitingFor, status }) => waitingFor === 'operator' && status !== 'IN_WORK');
  await world.aws.settle();
  // What it read is recorded; whom the order waits for is not its to say any more.
  const standing = { status: 'WAITING_FOR_DOCUMENTS', waitingFor: 'operator' };
  expect(await world.record('outlived')).toMatchObject(standing);
  expect(await world.stagedJson('outlived', 'status.json')).toMatchObject(standing);
  await world.startNext('outlived');
  await world.aws.settle();
  expect(await world.stagedJson('outlived', 'status.json')).toMatchObject({ waitingFor: 'service' });
  expect(await world.untilEnd('outlived')).toMatchObject({ status: 'CLOSED', generation: 2 });
});

test('an order whose start failed is started by the next event of its package, whatever that is', async () => {
  let isDown = true;
  const failed = Promise.withResolvers<void>();
  requested = async ({ operation, body }) =>
    isDown && operation === 'StartExecution' && body.includes('not-started-1')
      ? { status: 400, code: 'StateMachineDeleting' }
      : undefined;
  invoked = async (functionName, _event, invoke) => {
    const result = await invoke();
    if (functionName.endsWith('intake') && result.functionError) failed.resolve();
    return result;
  };
  await submit(world, 'not-started');
  await failed.promise;
  // While the event waits for its next attempt, the partner uploads the package again.
  isDown = false;
  await world.put('not-started', 'order.json', orderPackage());
  expect(await world.untilEnd('not-started')).toMatchObject({ status: 'CLOSED' });
  expect(await world.stagedJson('not-started', 'rejected.json')).toMatchObject({ orderRef: 'not-started' });
});

test('a first run of a step that is late does not take the wait away from the one that waits', async () => {
  let late: (() => Promise<unknown>) | undefined;
  invoked = async (functionName, _event, invoke) => {
    if (!functionName.endsWith('await-signatures')) return invoke();
    if (!late) {
      // Step Functions has lost sight of this run, and begins another one with a token of its own.
      late = () => invoke();
      throw Object.assign(new Error('no answer'), { name: 'Lambda.SdkClientException' });
    }
    const result = await invoke();
    await late();
    return result;
  };
  await submit(world, 'lost-sight');
  await world.until('lost-sight', ({ waitingFor }) => waitingFor === 'signatures', { signing: false });
  expect(await world.untilEnd('lost-sight')).toMatchObject({ status: 'CLOSED' });
});

test('an execution that ends while its last read brings the order to its end is no work for an operator', async () => {
  const isClosed = Promise.withResolvers<void>();
  let isHeld = false;
  requested = async ({ operation, body }) => {
    if (operation === 'UpdateItem' && body.includes('AbortedByOperator') && !isHeld) {
      isHeld = true;
      await isClosed.promise;
    }
    return undefined;
  };
  invoked = async (functionName, _event, invoke) => {
    const isRead = functionName.endsWith('read-order');
    if (isRead && !isHeld && (await orderAtService(world, 'last-read')).status === 'CLOSED') {
      const executionArn = (await world.record('last-read'))?.execution;
      await world.stepFunctions.send(new StopExecutionCommand({ executionArn, error: 'AbortedByOperator' }));
      await expect.poll(() => isHeld).toBe(true);
      const result = await invoke();
      isClosed.resolve();
      return result;
    }
    return invoke();
  };
  await submit(world, 'last-read');
  await world.untilEnd('last-read');
  await world.aws.settle();
  expect(isHeld).toBe(true);
  const standing = { status: 'CLOSED', waitingFor: 'nobody' };
  expect(await world.record('last-read')).toMatchObject(standing);
  expect(await world.stagedJson('last-read', 'status.json')).toMatchObject(standing);
});
