import { runsOf } from './order-counts.ts';
import { type Quota, type QuotaName, quotas } from './quotas.ts';
import { type Plan, peakOf, type Use } from './workload.ts';

/** How much of a quota the plan uses. */
export interface Share {
  quota: string;
  unit: Quota['unit'];
  peak: number;
  limit: number;
  /** Of the limit, from 0. */
  share: number;
  /** Orders a day that use all of it; undefined if orders do not use it. */
  fullAt?: number;
  /** What to ask AWS for, or what to do instead; undefined if there is room. */
  ask?: string;
}

/** From this share on, AWS should be asked: an increase takes days, and other stacks of the account use the quota too. */
const ENOUGH_TO_ASK = 0.5;
/** How much more than the peak to ask for. */
const ROOM = 2;

/** The shares of all quotas, the fullest first. */
export function sharesOf(plan: Plan, use: Use): Share[] {
  const peaks = peaksOf(plan, use);
  const shares = Object.entries(peaks).map(([name, peak]) => shareOf(name as QuotaName, peak, plan));
  return shares.sort((one, other) => other.share - one.share);
}

function peaksOf(plan: Plan, use: Use): Record<QuotaName, number> {
  const peak = peakOf(plan, use);
  return {
    startExecution: peak(({ executions }) => executions),
    stateTransition: peak(({ transitions }) => transitions),
    openExecutions: plan.ordersPerDay * plan.days,
    concurrency: peak(runsOf) * plan.seconds,
    // The worst case: all environments that the busiest function needs are new.
    burst: peak(({ runs }) => Math.max(...Object.values(runs))) * plan.seconds,
    putEvents: peak(({ eventPuts }) => eventPuts),
    eventInvocations: peak(({ events }) => events),
    // As if both buckets were one prefix.
    s3Puts: peak(({ s3Puts }) => s3Puts),
    s3Gets: peak(({ s3Gets }) => s3Gets),
    dynamodbWrites: peak(({ writeUnits }) => writeUnits),
    dynamodbReads: peak(({ readUnits }) => readUnits),
    // If the stage signs with KMS.
    signing: peak(() => plan.size.toSign),
    // The fleet shares one token, and reads the secret when it needs another.
    secrets: 0,
  };
}

function shareOf(name: QuotaName, peak: number, { region, ordersPerDay }: Plan): Share {
  const quota: Quota = quotas[name];
  const limit = quota.value[region];
  const share = peak / limit;
  return {
    quota: quota.name,
    unit: quota.unit,
    peak,
    limit,
    share,
    ...(peak > 0 && { fullAt: Math.round(ordersPerDay / share) }),
    ...(share >= ENOUGH_TO_ASK && { ask: quota.instead ?? `at least ${roundUp(peak * ROOM)} ${quota.unit}` }),
  };
}

/** Rounded up to two digits. */
function roundUp(value: number): string {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return (Math.ceil(value / step) * step).toLocaleString('en-US');
}

/** The limit that a growing number of orders meets first. */
export function firstLimit(shares: readonly Share[]): Share & { fullAt: number } {
  const [first] = shares;
  if (first?.fullAt === undefined) throw new Error('No quota is used at all.');
  return { ...first, fullAt: first.fullAt };
}
