import { stageSettings } from '../../infra/stages.ts';
import type { Answer } from '../refusal.ts';
import type { PlaceOptions } from '../stage/place.ts';
import { columns, some } from '../text.ts';
import { type Forecast, forecast, type Wish } from './forecast.ts';

/** From this share of a quota on, ask AWS for twice the peak: an increase takes days, and other stacks use the quota too. */
const ENOUGH_TO_ASK = 0.5;

/** `plan`: what a number of orders uses of the account's quotas, and what it costs. It needs no AWS. */
export async function plan({ stage }: PlaceOptions, wish: Wish): Promise<Answer> {
  const result = forecast(stageSettings(stage), wish);
  return { lines: lines(result), json: result };
}

function lines({ ordersPerDay, order, calls, quotas, ...result }: Forecast): string[] {
  const ofOrder = (what: string, cost: number) => [what, cost.toFixed(6), number(cost * ordersPerDay * 30, 2)];
  const more = Object.entries(result.costOfOneMore).map(([part, cost]) => `${part} ${cost.toFixed(6)}`);
  const bound = calls.bound === undefined ? 'The stage does not bound them' : `The stage allows ${calls.bound} at once`;
  return [
    `${number(ordersPerDay)} orders a day in ${result.region}, each with ${number(result.polls)} polls, ${result.documents} documents, ${result.toSign} to sign, ${result.confirms} confirms.`,
    `The busiest hour has ${result.busiestHour} % of the orders. A function runs for ${result.seconds} s. An order is open for ${result.days} days.`,
    `Each order needs: ${number(order.transitions)} state transitions, ${some(order.executions, 'execution')}, ${number(order.runs)} runs of functions, ${number(order.serviceCalls)} calls to the order service,`,
    `${number(order.dynamodbReads)} DynamoDB reads, ${number(order.dynamodbWrites)} DynamoDB writes, ${number(order.s3Gets + order.s3Puts)} S3 requests.`,
    `In the busiest hour the order service gets ${number(calls.eachSecond)} calls each second, ${number(calls.atOnce)} of them at once. ${bound}.`,
    '',
    ...columns([
      ['QUOTA', 'PEAK', 'DEFAULT', 'USED', 'FULL AT (ORDERS A DAY)', 'ASK AWS FOR'],
      ...quotas.map(({ quota, peak, limit, share, fullAt }) => [
        ...[quota, number(peak), number(limit), `${number(share * 100)} %`, number(fullAt)],
        share < ENOUGH_TO_ASK ? 'nothing' : number(peak * 2),
      ]),
    ]),
    `The first limit is ${quotas[0]?.quota}, at ${number(quotas[0]?.fullAt ?? 0)} orders a day. Open and concurrent executions count at once, the others each second.`,
    '',
    ...columns([
      ['COST IN US DOLLARS', 'AN ORDER', '30 DAYS'],
      ...Object.entries(result.costs).map(([service, cost]) => ofOrder(service, cost)),
      ofOrder('Orders, together', result.costOfOrder),
      ...Object.entries(result.stageCosts).map(([part, cost]) => [part, '', number(cost, 2)]),
      ['Orders and stage, together', '', number(result.costOfMonth, 2)],
    ]),
    `One more of each costs: ${more.join(', ')}.`,
    '',
    `List prices and default quotas of ${result.asOf}, without free tiers, storage, data transfer, secrets, KMS keys and signatures. New accounts may have lower quotas: see Service Quotas.`,
  ];
}

function number(value: number, leastDecimals = 0): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: leastDecimals, maximumFractionDigits: 2 });
}
