import { expect, test } from 'vitest';
import { stackOutputs } from '../../commands/stage/stack-outputs.ts';
import { openWorld } from '../helpers/open-world.ts';

const world = await openWorld();
const place = { stage: 'local', local: true, endpoint: world.aws.endpoint } as const;
const here = { name: 'local' as const, account: world.aws.accountId, region: world.aws.region };

test("a command goes on when the stack is in the stage's account and region", async () => {
  const outputs = await stackOutputs(place, 'LoanOrders-local', here);
  expect(outputs('OrderTable')).toMatch(/^LoanOrders-local-/);
});

test.each([
  [{ account: '111122223333' }, 'but stage local belongs to account 111122223333'],
  [{ region: 'eu-central-1' }, 'but stage local belongs to region eu-central-1'],
])('a command is refused when the stage belongs elsewhere: %j', async (other, sentence) => {
  const refused = stackOutputs(place, 'LoanOrders-local', { ...here, ...other });
  await expect(refused).rejects.toMatchObject({ name: 'Refusal', message: expect.stringContaining(sentence) });
});

test('a missing stack is refused with the account and region that the stage belongs to', async () => {
  await expect(stackOutputs(place, 'LoanOrders-prod', here)).rejects.toThrow(
    `The stage belongs to account ${here.account} and region ${here.region}.`,
  );
});
