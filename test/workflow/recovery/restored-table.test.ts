import {
  DynamoDBClient,
  RestoreTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
} from '@aws-sdk/client-dynamodb';
import { defaultOffers } from '@business-loan-orders/order-simulator';
import { beforeAll, describe, expect, test } from 'vitest';
import { otherStage } from '../../helpers/assemblies.ts';
import { commandsIn, inItsTime } from '../../helpers/commands-in.ts';
import { confirming, creating, inject, loseAnswer, reading } from '../../helpers/faults.ts';
import { watchMetrics } from '../../helpers/metrics.ts';
import { choicesOf, decide, untilOffers } from '../../helpers/offers.ts';
import { NO_OFFERS, OFFERS_AT_ONCE, openWorld, rareSweeps, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { filesToSign, orderAtService, putSignature, signed } from '../../helpers/signatures.ts';

const HOUR = 3_600_000;
const TABLE = 'orders-restored';
const UNSIGNED = { signing: false };

const world = await openWorld({
  assemblyDirectory: otherStage(() => ({ keepData: true })),
  settings: { ...SIGNATURES_AT_ONCE, ...NO_OFFERS },
  ordersGoOn: true,
  deliveryWrapper: rareSweeps(20),
});
const { simulator, aws } = world;
const { done, refusal, run } = commandsIn(world);
const { latest } = watchMetrics(world);
const dynamodb = new DynamoDBClient(aws.clientSettings);

/** docs/recovery.md, "A table", on the embedded AWS. Returns the time that the table was restored to. */
async function restoreAs(TargetTableName: string): Promise<string> {
  const SourceTableName = world.outputs.OrderTable;
  const { TableDescription } = await dynamodb.send(
    new RestoreTableToPointInTimeCommand({ SourceTableName, TargetTableName, UseLatestRestorableTime: true }),
  );
  return TableDescription?.RestoreSummary?.RestoreDateTime?.toISOString() ?? '';
}

async function adopt(table: string): Promise<void> {
  await aws.deploy(otherStage(() => ({ keepData: true, existing: { table } })));
  Object.assign(world.outputs, aws.outputs['LoanOrders-local']);
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await dynamodb.send(new UpdateContinuousBackupsCommand({ TableName: table, PointInTimeRecoverySpecification }));
}

/** Orders that came after the time that the table was restored to. */
const LOST = ['closed-since', 'begun-since'];
const orderIds = new Map<string, string>();

async function refuseOthers(to: string): Promise<void> {
  const earlier = new Date(Date.parse(to) - HOUR).toISOString();
  const { OrderTable: live = '' } = world.outputs;
  expect(await refusal('restored', '--to', earlier, '--table', TABLE)).toContain(`Repeat this with --to ${to}`);
  expect(await refusal('restored', '--to', to, '--table', live)).toContain(`The stage uses table ${live}`);
  expect(await refusal('restored', '--to', to, '--table', 'orders')).toContain('There is no table orders');
  expect(await done('restored', '--to', to, '--table', TABLE, '--preview')).toContain('Nothing was done.');
  const question = 'restored for 2 orders needs your confirmation';
  expect(await refusal('restored', '--to', to, '--table', TABLE)).toContain(question);
}

/** The stage adopts a table that nobody has prepared. An order that the table does not know must not be created twice. */
async function forgetToPrepare(): Promise<void> {
  aws.startSchedules();
  // The restored table has a pause that was ended.
  await inItsTime(world, () => done('pause', '--reason', 'earlier'));
  await inItsTime(world, () => done('resume'));
  const restoredTo = await restoreAs('orders-forgotten');
  const { orderId = '' } = await world.submitToEnd('forgotten');
  await adopt('orders-forgotten');
  await world.submit('forgotten');
  await world.pass(2 * HOUR);
  expect(await world.record('forgotten')).toMatchObject({ status: 'RECEIVED', waitingFor: 'service' });
  expect(latest('StagePausedSeconds')).toBeGreaterThan(HOUR / 1000);
  expect(latest('UnchangedSeconds', { status: 'RECEIVED' })).toBeLessThan(HOUR / 1000);
  expect((await run('list')).stderr).toContain('by the stack: Table orders-forgotten was adopted, and "restored" has');
  expect(await refusal('resume')).toContain(
    `nothing was resumed. Run "loan-orders --endpoint ${aws.endpoint} restored --to ${restoredTo}", then repeat.`,
  );
  await inItsTime(world, () => done('restored', '--to', restoredTo, '--yes'));
  await inItsTime(world, () => done('resume'));
  await world.pass(HOUR);
  expect(await world.untilEnd('forgotten')).toMatchObject({
    waitingFor: 'operator',
    failure: { error: 'OutcomeUnknown' },
  });
  expect(simulator.orders()).toHaveLength(1);
  await done('resolve', 'forgotten', '--order-id', orderId);
}

const confirms = () =>
  simulator.calls().filter((call) => confirming(call) && call.orderId === orderIds.get('closed-since'));

async function confirmAndClose(orderRef: string): Promise<void> {
  Object.assign(simulator.settings, OFFERS_AT_ONCE, { offers: defaultOffers });
  orderIds.set(orderRef, (await world.submitToEnd(orderRef, {}, UNSIGNED)).orderId ?? '');
  Object.assign(simulator.settings, SIGNATURES_AT_ONCE, NO_OFFERS);
  expect(confirms()).toHaveLength(2);
}

/** The next read of the order shows the service as it was before the order was closed. */
function readLate(orderId = ''): void {
  let isLate = true;
  simulator.hooks.after = async (call, _request, _reply, payload) => {
    if (!isLate || !reading(call) || call.orderId !== orderId) return undefined;
    isLate = false;
    return String(payload).replace('"status":"CLOSED"', '"status":"OFFERS_AVAILABLE"');
  };
}

/** Orders that were in flight at the time that the table was restored to, one in each wait. */
const IN_FLIGHT = { decision: 'undecided', signatures: 'unsigned', service: 'approved' };

async function submitInFlight(): Promise<void> {
  const usual = { ...simulator.settings };
  Object.assign(simulator.settings, OFFERS_AT_ONCE, { offers: defaultOffers });
  await untilOffers(world, IN_FLIGHT.decision);
  simulator.settings.bankSeconds = (12 * HOUR) / 1000;
  await world.submitUntil(IN_FLIGHT.service, ({ status }) => status === 'OFFERS_APPROVED');
  Object.assign(simulator.settings, usual);
  await world.submitToSign(IN_FLIGHT.signatures);
}

let forgotten: Promise<void> | undefined;
/** Comes first, whichever test needs it. */
const afterForgotten = () => (forgotten ??= forgetToPrepare());

async function pauseToResume(): Promise<void> {
  await afterForgotten();
  await submitInFlight();
  await world.submitToSign('known');
  inject(simulator, 'after', creating, loseAnswer);
  await world.submitToEnd('asked-before', {}, UNSIGNED);
  const to = await restoreAs(TABLE);
  await world.put('known', 'documents/charter.pdf', 'a newer charter');
  await world.put('rejected-since', 'order.json', { order: 'not an order' });
  for (const fileId of await filesToSign(world, 'known'))
    await putSignature(world, 'known', fileId, await signed(world, 'known', fileId));
  await world.untilEnd('known', UNSIGNED);
  await confirmAndClose('closed-since');
  const documents = (await world.record('known'))?.documents;
  orderIds.set('begun-since', (await world.submitToSign('begun-since')).orderId ?? '');
  await world.pass(HOUR);
  expect(await refusal('restored', '--to', to)).toContain('is not paused');
  await done('pause', '--reason', 'The table is restored');
  await refuseOthers(to);

  const before = await done('restored', '--to', to, '--table', TABLE, '--yes');
  expect(before).toContain(`Name ${TABLE} in the stage's file`);
  await adopt(TABLE);
  // The uploads were not compared with the table that the stage uses.
  const command = `loan-orders --endpoint ${aws.endpoint} restored --to ${to}`;
  expect(await refusal('resume')).toContain(`nothing was resumed. Run "${command}", then repeat.`);
  const after = await done('restored', '--to', to);
  for (const said of [before, after]) {
    expect(said).toContain('3 orders may exist at the order service');
    expect(said).toContain('asked-before');
    for (const orderRef of LOST) expect(said).toMatch(new RegExp(`${orderRef} +--order-id ${orderIds.get(orderRef)}`));
  }
  expect(after).toContain('2 orders in intake have no record. Their packages are checked again.');
  expect(after).toContain('Newer than the table: ');
  await world.submit('after-adoption');
  await aws.settle();
  const repeated = await done('restored', '--to', to);
  expect(repeated).toContain('3 orders may exist at the order service');
  expect(repeated).toContain('0 orders in intake have no record');
  await done('resume');
  await world.pass(HOUR);
  expect(await world.record('known')).toMatchObject({ documents, documentsReplaced: 1 });
}

test('a restored table that nobody has prepared creates no order twice', afterForgotten);

describe('after everything that docs/recovery.md says', () => {
  beforeAll(pauseToResume);

  test.each(Object.entries(IN_FLIGHT))(
    'an order in flight that waited for %s goes on, and nobody retries it',
    async (whom, orderRef) => {
      if (whom === 'decision') await decide(world, orderRef, choicesOf(await orderAtService(world, orderRef)));
      // The old execution, which may not read the old table, looks at it when its wait ends: after six hours at most.
      const goesOn = await world.until(orderRef, ({ generation, failure }) => generation > 1 || !!failure, UNSIGNED);
      expect(goesOn.waitingFor).not.toBe('operator');
      expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
      expect(await world.told(orderRef, 'An operator asked for a retry')).toEqual([]);
    },
  );

  test('the stage uses the restored table, with all rights: its orders go on, and a new one is created as usual', async () => {
    expect(world.outputs.OrderTable).toBe(TABLE);
    expect(await world.untilEnd('after-adoption')).toMatchObject({ status: 'CLOSED' });
  });

  const preview = (orderRef: string) => done('resolve', orderRef, '--none', '--preview');

  test('the preview of resolve does not give the time of a creation that the table knows as unknown', async () => {
    expect(await preview('asked-before')).not.toContain('unknown: ');
  });

  test.each(LOST)(
    'an order without a record waits for an operator, who adopts the one at the service, and no confirm is made twice: %s',
    async (orderRef) => {
      expect(await world.untilEnd(orderRef)).toMatchObject({ waitingFor: 'operator', failure: expect.anything() });
      expect(await preview(orderRef)).toMatch(/ unknown: \S+ \S+Z to \S+ \S+Z +OutcomeUnknown/);
      expect(await refusal('retry', orderRef)).toContain('may or may not exist at the order service');
      await world.submit(orderRef);
      await world.pass(HOUR);
      expect(await world.record(orderRef)).toMatchObject({ waitingFor: 'operator' });
      await done('resolve', orderRef, '--order-id', orderIds.get(orderRef) ?? '');
      readLate(orderIds.get(orderRef));
      await done('retry', orderRef);
      expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
      expect(confirms()).toHaveLength(2);
      expect(simulator.orders()).toHaveLength(9);
    },
  );
});
