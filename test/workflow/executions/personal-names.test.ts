import { StartExecutionCommand } from '@aws-sdk/client-sfn';
import { expect, test } from 'vitest';
import { invoke, OFFERS_AT_ONCE, openWorld } from '../../helpers/open-world.ts';

const world = await openWorld({ settings: OFFERS_AT_ONCE });
const PERSON = 'Иванов-7707083893';

test('neither the log nor the timeline shows what a person gave an execution as its order or its name', async () => {
  await world.submitUntil('named', ({ waitingFor }) => waitingFor === 'decision', { offers: { choose: 'manual' } });
  await world.abort('named');
  await world.aws.settle();
  for (const name of ['create-order', 'read-order', 'await-signatures'])
    for (const input of [{ orderRef: PERSON }, { orderRef: 'named', generation: PERSON }])
      await expect(invoke(world, name, input)).rejects.toThrow('names no order');
  const stateMachine = {
    stateMachineArn: world.outputs.OrderStateMachine,
    input: '{"orderRef":"named","generation":1}',
  };
  const start = (name: string) => world.stepFunctions.send(new StartExecutionCommand({ ...stateMachine, name }));
  await start(PERSON);
  await world.until('named', ({ generation, waitingFor }) => generation === 2 && waitingFor === 'decision');
  await start('again');
  await world.aws.settle();
  const timeline = (await world.items('named')).filter(({ item }) => String(item).startsWith('event#'));
  const shown = JSON.stringify([timeline, world.aws.logs()]);
  expect(shown).toContain('is driven by execution (not shown), its number 2');
  expect(shown).not.toContain('7707083893');
});
