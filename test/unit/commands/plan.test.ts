import { describe, expect, test } from 'vitest';
import { mostTransitions } from '../../../bench/bounds.ts';
import type { OrderSize } from '../../../commands/plan/order-size.ts';
import type { PlanResult } from '../../../commands/plan/plan-result.ts';
import { orderDefinition, passage } from '../../../commands/plan/transitions.ts';
import { loanOrders } from '../../helpers/command-line.ts';

async function planned(...options: string[]): Promise<PlanResult> {
  const { code, stdout, stderr } = await loanOrders(['plan', ...options, '--json']);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return JSON.parse(stdout) as PlanResult;
}

const share = ({ shares }: PlanResult, quota: string) => shares.find((one) => one.quota === quota);

const TRANSITIONS = 'Step Functions StateTransition';

describe('transitions of a closed order', () => {
  const sizes: OrderSize[] = [
    { polls: 4, documents: 1, toSign: 1, confirms: 0 },
    { polls: 6, documents: 3, toSign: 2, confirms: 2 },
    { polls: 190, documents: 100, toSign: 100, confirms: 100 },
  ];

  test.each(sizes)('of $polls polls stay below the bound, and take one execution', (size) => {
    const { transitions, executions } = passage(size, 1_000);
    expect(executions).toBe(1);
    expect(transitions).toBeLessThanOrEqual(mostTransitions(size));
  });

  test('come from the definition: one more state before the first read is one more transition', () => {
    const size = { polls: 6, documents: 3, toSign: 2, confirms: 2 };
    const definition = orderDefinition();
    definition.States.Early = { Type: 'Pass', Next: definition.StartAt };
    definition.StartAt = 'Early';
    expect(passage(size, 200, definition).transitions).toBe(passage(size, 200).transitions + 1);
  });

  test('name a Map whose number of items is not known', () => {
    const definition = orderDefinition();
    const { 'Confirm offer': map, ...others } = definition.States;
    if (!map) throw new Error('The definition has no state "Confirm offer".');
    const text = JSON.stringify({ ...definition, States: { ...others, Others: map } });
    const renamed = JSON.parse(text.replaceAll('"Next":"Confirm offer"', '"Next":"Others"')) as typeof definition;
    expect(() => passage({ polls: 4, documents: 1, toSign: 1, confirms: 1 }, 200, renamed)).toThrow('"Others"');
  });

  test('an order with many polls takes an execution for each readsPerExecution reads', () => {
    const { executions } = passage({ polls: 1_000, documents: 1, toSign: 1, confirms: 1 }, 200);
    expect(executions).toBe(6);
  });
});

describe('the command plan', () => {
  test('needs neither AWS nor credentials', async () => {
    const { code, stdout } = await loanOrders(['plan', '--orders-per-day', '100'], {});
    expect(code).toBe(0);
    expect(stdout).toContain('The first limit is Step Functions StateTransition (800 each second)');
  });

  test('counts the share of the busiest hour', async () => {
    const some = share(await planned('--orders-per-day', '3600', '--busiest-hour', '100'), TRANSITIONS);
    const { order } = await planned('--orders-per-day', '3600');
    expect(some?.peak).toBe(order.transitions);
    expect(some?.share).toBeCloseTo(order.transitions / 800, 10);
  });

  test('counts the requests that put events on the bus', async () => {
    const puts = share(await planned('--orders-per-day', '3600', '--busiest-hour', '100'), 'EventBridge PutEvents');
    const { order } = await planned('--orders-per-day', '3600');
    expect(order.eventPuts).toBeGreaterThan(0);
    expect(puts?.peak).toBe(order.eventPuts);
  });

  test('asks for twice the peak from half of a quota on, and for nothing below', async () => {
    const { firstLimit } = await planned('--orders-per-day', '100');
    const half = Math.ceil(firstLimit.fullAt / 2) + 1;
    expect(share(await planned('--orders-per-day', String(half)), TRANSITIONS)?.ask).toBe('at least 810 each second');
    expect(share(await planned('--orders-per-day', String(half - 10)), TRANSITIONS)).not.toHaveProperty('ask');
  });

  test('a larger region has more room', async () => {
    const [frankfurt, virginia] = [
      await planned('--orders-per-day', '1000'),
      await planned('--orders-per-day', '1000', '--region', 'us-east-1'),
    ];
    expect(virginia.firstLimit.fullAt).toBeGreaterThan(frankfurt.firstLimit.fullAt);
    expect(virginia.costOfOrder).toBeLessThan(frankfurt.costOfOrder);
  });

  test('polls of many days do not all happen in the busiest hour', async () => {
    const few = share(await planned('--orders-per-day', '1000', '--polls', '720'), TRANSITIONS);
    const many = share(await planned('--orders-per-day', '1000', '--polls', '1440'), TRANSITIONS);
    const whole = (await planned('--orders-per-day', '1000', '--polls', '1440')).order.transitions;
    const part = (await planned('--orders-per-day', '1000', '--polls', '720')).order.transitions;
    expect(many?.peak).toBeCloseTo((few?.peak ?? 0) + (1000 * (whole - part)) / 86_400, 6);
  });

  test('one more poll costs what the order with one more poll costs more', async () => {
    const before = await planned('--orders-per-day', '1', '--polls', '20');
    const after = await planned('--orders-per-day', '1', '--polls', '21');
    expect(after.costOfOrder - before.costOfOrder).toBeCloseTo(before.costOfOneMore.polls, 10);
  });

  test('a stage costs something without orders, and only the sweep and the record grow with them', async () => {
    const [few, many] = [await planned('--orders-per-day', '1'), await planned('--orders-per-day', '1000')];
    const cost = ({ standing }: PlanResult, part: string) => standing.find((one) => one.part === part)?.dollars ?? 0;
    for (const part of ['Custom metrics', 'Dashboard', 'Alarms', 'SQS, polls of idle queues', 'Secrets'])
      expect(cost(many, part), part).toBe(cost(few, part));
    expect(cost(few, 'Custom metrics')).toBe(18);
    expect(cost(few, 'Alarms')).toBeCloseTo(2.8, 10);
    expect(cost(few, 'SQS, polls of idle queues')).toBeCloseTo((3 * 5 * 3 * 43_200 * 0.4) / 1_000_000, 10);
    for (const part of ['Sweeps', 'Point-in-time recovery']) expect(cost(many, part)).toBeGreaterThan(cost(few, part));
    expect(few.costOfStage).toBeCloseTo(
      few.standing.reduce((sum, { dollars }) => sum + dollars, 0),
      10,
    );
    expect(few.costOfStage).toBeGreaterThan(20);
  });

  test.each([
    [['--orders-per-day', '0'], 'Give a whole number from 1 to 10000000'],
    [['--orders-per-day', '1.5'], 'Give a whole number'],
    [['--orders-per-day', '10', '--polls', '3'], 'Give a whole number from 4'],
    [['--orders-per-day', '10', '--region', 'mars-1'], 'Allowed choices are eu-central-1, us-east-1'],
    [[], "Required option '--orders-per-day <n>'"],
  ])('refuses %j', async (options, sentence) => {
    const { code, stderr } = await loanOrders(['plan', ...options]);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });
});
