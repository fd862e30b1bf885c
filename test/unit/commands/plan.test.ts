import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Forecast } from '../../../commands/plan/forecast.ts';
import { countsOf } from '../../../commands/plan/order-counts.ts';
import { loanOrders } from '../../helpers/command-line.ts';

async function planned(...options: string[]): Promise<Forecast> {
  const { code, stdout, stderr } = await loanOrders(['plan', ...options, '--json']);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return JSON.parse(stdout) as Forecast;
}

const TRANSITIONS = 'Step Functions StateTransition';
const transitionsOf = ({ quotas }: Forecast) => quotas.find(({ quota }) => quota === TRANSITIONS);

describe('the command plan', () => {
  test('prints what docs/capacity.md shows, without AWS and credentials', async () => {
    const document = readFileSync(new URL('../../../docs/capacity.md', import.meta.url), 'utf8');
    const { stdout } = await loanOrders(['plan', '--orders-per-day', '1000'], {});
    expect(document).toContain(`$ npx loan-orders plan --orders-per-day 1000\n${stdout}`);
  });

  test('counts the share of the busiest hour', async () => {
    const all = await planned('--orders-per-day', '3600', '--busiest-hour', '100');
    expect(transitionsOf(all)?.peak).toBe(all.order.transitions);
    expect(transitionsOf(all)?.share).toBeCloseTo(all.order.transitions / 800, 10);
    expect(transitionsOf(await planned('--orders-per-day', '3600'))?.peak).toBeCloseTo(all.order.transitions / 5, 10);
  });

  test('a larger region has more room, and costs less', async () => {
    const frankfurt = await planned('--orders-per-day', '1000');
    const virginia = await planned('--orders-per-day', '1000', '--region', 'us-east-1');
    expect(virginia.quotas[0]?.fullAt).toBeGreaterThan(frankfurt.quotas[0]?.fullAt ?? Number.NaN);
    expect(virginia.costOfOrder).toBeLessThan(frankfurt.costOfOrder);
  });

  test('names the quota that is met first, and asks for twice the peak from half of it on', async () => {
    const { quotas } = await planned('--orders-per-day', '100', '--seconds', '60');
    expect(quotas[0]?.quota).toBe('Lambda concurrent executions');
    const half = String(Math.ceil((quotas[0]?.fullAt ?? 0) / 2));
    const { stdout } = await loanOrders(['plan', '--orders-per-day', half, '--seconds', '60']);
    expect(stdout).toMatch(/Lambda concurrent executions .* 50(\.\d+)? % .* 1,00\d/);
  });

  test('polls of many days do not all happen in the busiest hour', async () => {
    const few = await planned('--orders-per-day', '1000', '--polls', '720');
    const many = await planned('--orders-per-day', '1000', '--polls', '1440');
    const further = many.order.transitions - few.order.transitions;
    expect(transitionsOf(many)?.peak).toBeCloseTo((transitionsOf(few)?.peak ?? 0) + (1000 * further) / 86_400, 6);
  });

  test('one more poll costs what the order with one more poll costs more', async () => {
    const before = await planned('--orders-per-day', '1', '--polls', '20');
    const after = await planned('--orders-per-day', '1', '--polls', '21');
    expect(after.costOfOrder - before.costOfOrder).toBeCloseTo(before.costOfOneMore.polls ?? Number.NaN, 10);
  });

  test('a stage costs something without orders, and only the sweep and the record grow with them', async () => {
    const [few, many] = [await planned('--orders-per-day', '1'), await planned('--orders-per-day', '1000')];
    const grown = Object.keys(few.stageCosts).filter((part) => few.stageCosts[part] !== many.stageCosts[part]);
    expect(grown).toEqual(['Sweeps', 'Point-in-time recovery']);
    expect(few.stageCosts['Custom metrics']).toBe(18);
    expect(few.costOfMonth).toBeGreaterThan(24);
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

test.each([
  [{ polls: 190, documents: 100, toSign: 100, confirms: 100 }, 1],
  [{ polls: 1_000, documents: 1, toSign: 1, confirms: 1 }, 2],
])('an order of %j takes %i executions of 1,000 reads', (size, executions) => {
  expect(countsOf(size, 1_000).executions).toBe(executions);
});
