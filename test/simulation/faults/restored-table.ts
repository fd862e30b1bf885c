import { isDeepStrictEqual } from 'node:util';
import { ListExecutionsCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { DeleteCommand, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { inBatches } from '../../../core/in-batches.ts';
import type { OrderItems } from '../checks/checked-order.ts';
import { command } from '../people/operator.ts';
import { PAUSED_AT, RESTORED_AT, RESTORED_TO } from '../plan/plan.ts';
import { orderAt } from '../world/references.ts';
import { BEGINNING } from '../world/schedule.ts';
import type { OpenWorld } from '../world/world.ts';

/** Seconds around the time that the table is restored to. The service turns every call away, so some orders wait for their creation. */
const TURNED_AWAY = { from: RESTORED_TO - 120, to: RESTORED_TO + 60 };

/** When an operator looks at all orders after that. Sweeps find executions that ended meanwhile. Seconds. */
const LOOKS = [0, 7_200, 86_400];

const lookAtAll = ({ plans, operator }: OpenWorld) => {
  for (const orderRef of plans.keys()) operator.onEnd(orderRef);
};

/** The table of orders goes back to what it held an hour ago, and an operator does what docs/recovery.md says. */
export function restoreTable(world: OpenWorld): void {
  const { schedule, simulator, aws } = world;
  const { before } = simulator.hooks;
  simulator.hooks.before = async (call, request, reply) => {
    const now = schedule.seconds();
    if (now < TURNED_AWAY.from || now >= TURNED_AWAY.to) return before?.(call, request, reply);
    await reply.code(503).header('retry-after', '120').send();
  };
  let then: OrderItems = [];
  schedule.later(RESTORED_TO, async () => {
    then = await itemsOf(world);
  });
  const pause = ['pause', '--reason', 'The table is restored'];
  schedule.later(PAUSED_AT, async () => void (await command(aws.endpoint, ...pause)));
  schedule.later(RESTORED_AT, async () => {
    await aws.settle();
    await stopLostExecutions(world);
    await aws.settle();
    const now = await itemsOf(world);
    count(world, then, now);
    await putBack(world, then, now);
    // On AWS the restored table is prepared, and paused, before the stage uses it.
    await command(aws.endpoint, ...pause);
    const to = new Date(BEGINNING + RESTORED_TO * 1000).toISOString();
    await command(aws.endpoint, 'restored', '--to', to, '--yes');
    await command(aws.endpoint, 'resume');
    for (const later of LOOKS) schedule.later(later, () => lookAtAll(world));
  });
}

export async function itemsOf({ dynamodb: client, outputs }: OpenWorld): Promise<OrderItems> {
  const items: OrderItems = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName: outputs.OrderTable }))
    items.push(...(Items as OrderItems));
  return items;
}

const keyOf = ({ orderRef, item }: OrderItems[number]) => JSON.stringify([orderRef, item]);

async function putBack({ dynamodb, outputs, witness, eventWitness }: OpenWorld, then: OrderItems, now: OrderItems) {
  const TableName = outputs.OrderTable;
  const [before, after] = [then, now].map((items) => new Map(items.map((item) => [keyOf(item), item])));
  witness.restored(then);
  eventWitness.restored(then);
  const isGone = (item: OrderItems[number]) => !before?.has(keyOf(item));
  await inBatches(now.filter(isGone), ({ orderRef, item }) =>
    dynamodb.send(new DeleteCommand({ TableName, Key: { orderRef, item } })),
  );
  const isOther = (item: OrderItems[number]) => !isDeepStrictEqual(after?.get(keyOf(item)), item);
  await inBatches(then.filter(isOther), (Item) => dynamodb.send(new PutCommand({ TableName, Item })));
}

/** Some executions end with the region, and others go on. */
async function stopLostExecutions({ stepFunctions, outputs, plans }: OpenWorld): Promise<void> {
  const stateMachineArn = outputs.OrderStateMachine;
  const search = { stateMachineArn, statusFilter: 'RUNNING', maxResults: 1000 } as const;
  const { executions = [] } = await stepFunctions.send(new ListExecutionsCommand(search));
  const lost = executions.filter(({ name = '' }) => plans.get(name.replace(/-\d+$/, ''))?.restored?.losesExecution);
  await inBatches(lost, ({ executionArn }) => stepFunctions.send(new StopExecutionCommand({ executionArn })));
}

/** Counts by the status in the restored record, and the one that the service has. */
function count({ plans, simulator, injected }: OpenWorld, then: OrderItems, now: OrderItems): void {
  const statusIn = (items: OrderItems, orderRef: string) =>
    items.find((one) => one.orderRef === orderRef && one.item === 'order')?.status;
  for (const orderRef of plans.keys()) {
    if (statusIn(now, orderRef) === undefined) continue;
    const theirs = orderAt(simulator, orderRef)?.status ?? 'no order';
    injected.add(`restored: ${statusIn(then, orderRef) ?? 'no record'}, the service has ${theirs}`);
  }
}
