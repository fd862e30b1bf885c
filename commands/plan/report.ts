import { columns } from '../text.ts';
import { runsOf } from './order-counts.ts';
import type { PlanResult } from './plan-result.ts';
import { prices } from './prices.ts';
import { START_BUCKET } from './quotas.ts';
import type { Share } from './shares.ts';
import { peakOf } from './workload.ts';

const DAYS_OF_MONTH = 30;

/** The result for people. */
export function lines(result: PlanResult): string[] {
  const parts = [
    assumptions(result),
    ofOneOrder(result),
    quotaLines(result),
    limitLines(result),
    costLines(result),
    standingLines(result),
    sources(result),
  ];
  return parts.flatMap((part, at) => (at === 0 ? part : ['', ...part]));
}

function assumptions({ plan }: PlanResult): string[] {
  const { polls, documents, toSign, confirms } = plan.size;
  return [
    `${whole(plan.ordersPerDay)} orders a day in ${plan.region}, each with ${whole(polls)} polls, ${documents} documents, ${toSign} to sign, ${confirms} confirms.`,
    `The busiest hour has ${plan.busiestHour} % of the orders, with at most ${whole(3_600 / plan.pollSeconds)} polls of each. A function runs for ${plan.seconds} s. An order is open for ${plan.days} days.`,
  ];
}

function ofOneOrder({ order, plan }: PlanResult): string[] {
  const rows = [
    ['ONE ORDER', 'COUNT'],
    ['State transitions', whole(order.transitions)],
    ['Executions', whole(order.executions)],
    ['Runs of functions', whole(runsOf(order))],
    ['Calls to the order service', whole(order.serviceCalls)],
    ['DynamoDB reads', whole(order.dynamodbReads)],
    ['DynamoDB writes', whole(order.dynamodbWrites)],
    ['S3 GET, HEAD', whole(order.s3Gets)],
    ['S3 PUT, LIST', whole(order.s3Puts)],
    ['Events of intake', whole(order.events)],
    ['Events of histories', whole(order.historyEvents)],
  ];
  const bound =
    plan.callsAtOnce === undefined
      ? 'The stage does not bound them.'
      : `The stage allows ${whole(plan.callsAtOnce)} at once.`;
  const calls = peakOf(plan, order)(({ serviceCalls }) => serviceCalls);
  return [
    ...columns(rows),
    '',
    `The order service gets ${rate(calls)} calls each second in the busiest hour, ${rate(calls * plan.seconds)} of them at once. ${bound}`,
  ];
}

function quotaLines({ shares }: PlanResult): string[] {
  const rows = shares.map(({ quota, unit, peak, limit, share, fullAt, ask }) => [
    quota,
    rate(peak),
    `${whole(limit)} ${unit}`,
    percent(share),
    fullAt === undefined ? '' : whole(fullAt),
    ask ?? (peak > 0 ? 'nothing' : ''),
  ]);
  return columns([['QUOTA', 'PEAK', 'DEFAULT', 'USED', 'FULL AT (ORDERS A DAY)', 'ASK AWS FOR'], ...rows]);
}

function limitLines({ firstLimit, history, plan }: PlanResult): string[] {
  return [
    `The first limit is ${nameOf(firstLimit)}, at ${whole(firstLimit.fullAt)} orders a day.`,
    `At most ${whole(START_BUCKET[plan.region])} orders start at the same moment without being throttled. Further ones are started by retries.`,
    `A history has at most ${whole(history.worstCase)} of ${whole(history.limit)} events: an order continues in a new execution after ${plan.readsPerExecution} reads.`,
  ];
}

function nameOf({ quota, limit, unit }: Share): string {
  return `${quota} (${whole(limit)} ${unit})`;
}

function costLines({ plan, costs, costOfOrder, costOfOneMore }: PlanResult): string[] {
  const row = (what: string, cost: number) => [
    what,
    dollars(cost),
    money(cost * plan.ordersPerDay),
    money(cost * plan.ordersPerDay * DAYS_OF_MONTH),
  ];
  const rows = [...costs]
    .sort((one, other) => other.dollars - one.dollars)
    .map(({ service, dollars: cost }) => row(service, cost));
  const { polls, documents, toSign, confirms } = costOfOneMore;
  return [
    ...columns([
      ['COST IN US DOLLARS', 'AN ORDER', 'A DAY', `${DAYS_OF_MONTH} DAYS`],
      ...rows,
      row('Total', costOfOrder),
    ]),
    '',
    `One more poll costs ${dollars(polls)}, document ${dollars(documents)}, document to sign ${dollars(toSign)}, confirm ${dollars(confirms)}.`,
  ];
}

function standingLines({ asOf, plan, standing, costOfStage, costOfOrder }: PlanResult): string[] {
  const rows = [...standing]
    .sort((one, other) => other.dollars - one.dollars)
    .map(({ part, count, dollars: cost }) => [part, count, money(cost)]);
  const both = costOfStage + costOfOrder * plan.ordersPerDay * DAYS_OF_MONTH;
  return [
    ...columns([
      ['A STAGE IN US DOLLARS', 'COUNT', `${DAYS_OF_MONTH} DAYS`],
      ...rows,
      ['Total', '', money(costOfStage)],
      ['With its orders', '', money(both)],
    ]),
    '',
    `List prices of ${asOf} in ${plan.region}, without free tiers, storage, data transfer and KMS signatures.`,
  ];
}

function sources({ asOf }: PlanResult): string[] {
  const pages = [...new Set(Object.values(prices).map(({ page }) => page))];
  return [
    `Prices: https://aws.amazon.com${pages.join(', ')}.`,
    `Quotas: the defaults of ${asOf}. New accounts may have less. Service Quotas shows yours; docs/capacity.md names the pages.`,
  ];
}

const whole = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 0 });

/** Two significant digits below ten, none after the point above. */
function rate(value: number): string {
  if (value === 0) return '0';
  return value.toLocaleString('en-US', value < 10 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 0 });
}

const percent = (share: number) =>
  share === 0
    ? '0 %'
    : share < 0.0001
      ? 'below 0.01 %'
      : `${(share * 100).toLocaleString('en-US', { maximumSignificantDigits: 2 })} %`;

const dollars = (value: number) => value.toFixed(6);

const money = (value: number) => value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
