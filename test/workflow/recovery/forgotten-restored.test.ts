import {
  DynamoDBClient,
  RestoreTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
} from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { otherStage } from '../../helpers/assemblies.ts';
import { commandsIn, inItsTime } from '../../helpers/commands-in.ts';
import { watchMetrics } from '../../helpers/metrics.ts';
import { openWorld, rareSweeps, submit } from '../../helpers/open-world.ts';

const HOUR = 3_600_000;

const world = await openWorld({
  assemblyDirectory: otherStage(() => ({ keepData: true })),
  ordersGoOn: true,
  deliveryWrapper: rareSweeps(20),
});
const { simulator, aws } = world;
const { done, refusal, run } = commandsIn(world);
const { latest } = watchMetrics(world);
const dynamodb = new DynamoDBClient(aws.clientSettings);

/** @returns the time that the table was restored to. */
async function restoreAs(TargetTableName: string): Promise<string> {
  const SourceTableName = world.outputs.OrderTable;
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  const recovery = { TableName: SourceTableName, PointInTimeRecoverySpecification };
  await dynamodb.send(new UpdateContinuousBackupsCommand(recovery));
  const restore = { SourceTableName, TargetTableName, UseLatestRestorableTime: true };
  const { TableDescription } = await dynamodb.send(new RestoreTableToPointInTimeCommand(restore));
  return TableDescription?.RestoreSummary?.RestoreDateTime?.toISOString() ?? '';
}

async function adopt(table: string): Promise<void> {
  await aws.deploy(otherStage(() => ({ keepData: true, existing: { table } })));
  Object.assign(world.outputs, aws.outputs['LoanOrders-local']);
}

// The second table has the mark of the first one's restore.
test.each(['orders-first', 'orders-second'])(
  'a restored table that nobody has prepared creates no order twice: %s',
  async (table) => {
    aws.startSchedules();
    const orderRef = `since-${table}`;
    const to = await restoreAs(table);
    await submit(world, orderRef);
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
    const created = simulator.orders().length;
    await adopt(table);

    await submit(world, orderRef);
    await world.pass(2 * HOUR);
    expect(await world.record(orderRef)).toMatchObject({ status: 'RECEIVED', waitingFor: 'service' });
    expect(latest('StagePausedSeconds')).toBeGreaterThan(HOUR / 1000);
    expect(latest('UnchangedSeconds', { status: 'RECEIVED' })).toBeLessThan(HOUR / 1000);
    expect((await run('list')).stderr).toContain(`by the stack: Table ${table} was adopted, and "restored" has not`);
    expect(await refusal('resume')).toContain(
      `nothing was resumed. Run "loan-orders --endpoint ${aws.endpoint} restored --to ${to}", then repeat.`,
    );

    await inItsTime(world, () => done('restored', '--to', to, '--yes'));
    await inItsTime(world, () => done('resume'));
    await world.pass(HOUR);
    expect(await world.untilEnd(orderRef)).toMatchObject({
      waitingFor: 'operator',
      failure: { error: 'OutcomeUnknown' },
    });
    expect(simulator.orders()).toHaveLength(created);
  },
  120_000,
);
