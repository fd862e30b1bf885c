import { DynamoDBClient, RestoreTableToPointInTimeCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { otherStage } from '../../helpers/assemblies.ts';
import { commandsIn } from '../../helpers/commands-in.ts';
import { openWorld, rareSweeps, submit } from '../../helpers/open-world.ts';

const HOUR = 3_600_000;
const TABLE = 'orders-restored';

const world = await openWorld({
  assemblyDirectory: otherStage(() => ({ keepData: true })),
  ordersGoOn: true,
  deliveryWrapper: rareSweeps(20),
});
const { simulator, aws } = world;
const { done, refusal, run } = commandsIn(world);

test('a restored table that nobody has prepared creates no order twice', async () => {
  aws.startSchedules();
  const dynamodb = new DynamoDBClient(aws.clientSettings);
  const restore = { SourceTableName: world.outputs.OrderTable, TargetTableName: TABLE, UseLatestRestorableTime: true };
  const { TableDescription } = await dynamodb.send(new RestoreTableToPointInTimeCommand(restore));
  const to = TableDescription?.RestoreSummary?.RestoreDateTime?.toISOString() ?? '';
  await submit(world, 'since');
  expect(await world.untilEnd('since')).toMatchObject({ status: 'CLOSED' });
  await aws.deploy(otherStage(() => ({ keepData: true, existing: { table: TABLE } })));
  Object.assign(world.outputs, aws.outputs['LoanOrders-local']);

  await submit(world, 'since');
  await world.pass(HOUR);
  expect(await world.record('since')).toMatchObject({ status: 'RECEIVED', waitingFor: 'service' });
  expect(simulator.orders()).toHaveLength(1);
  expect((await run('list')).stderr).toContain(`by the stack: Table ${TABLE} was adopted, and "restored" has not`);
  expect(await refusal('resume')).toContain(
    `nothing was resumed. Run "loan-orders --endpoint ${aws.endpoint} restored --to <the time of the restore>", then repeat.`,
  );

  await done('pause', '--reason', 'The table was restored');
  await done('restored', '--to', to, '--yes');
  await done('resume');
  await world.pass(HOUR);
  expect(await world.untilEnd('since')).toMatchObject({ waitingFor: 'operator', failure: { error: 'OutcomeUnknown' } });
  expect(simulator.orders()).toHaveLength(1);
}, 120_000);
