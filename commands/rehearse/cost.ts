/** A price in USD: us-east-1, 2026-01. `perMonth` is for a month of 730 hours. */
type Item = { what: string; amount: number } & ({ each: number } | { perMonth: number });

const HOURS = 1;
const HOURS_OF_MONTH = 730;

/** What the rehearsal uses, rounded up: four orders with a dozen reads each, and the conformance table. */
const ITEMS: Item[] = [
  { what: 'state transitions', amount: 500, each: 0.025 / 1_000 },
  { what: 'GB-seconds of functions', amount: 600, each: 0.0000133334 },
  { what: 'requests to S3', amount: 1_000, each: 0.005 / 1_000 },
  { what: 'writes to DynamoDB', amount: 3_000, each: 0.625 / 1_000_000 },
  { what: 'GB of logs', amount: 0.01, each: 0.5 },
  { what: 'metrics', amount: 40, perMonth: 0.3 },
  { what: 'alarms', amount: 40, perMonth: 0.1 },
  { what: 'dashboard', amount: 1, perMonth: 3 },
  { what: 'KMS keys', amount: 3, perMonth: 1 },
  { what: 'secrets', amount: 3, perMonth: 0.4 },
];

/** In US cents, for an hour. */
export function cents(): number {
  const costs = ITEMS.map((item) =>
    'each' in item ? item.amount * item.each : (item.amount * item.perMonth * HOURS) / HOURS_OF_MONTH,
  );
  return Math.ceil(costs.reduce((sum, cost) => sum + cost, 0) * 100);
}
