import { runsOf } from './order-counts.ts';
import { LEAST_POLLS, type OrderSize } from './order-size.ts';
import { prices } from './prices.ts';
import type { Region } from './quotas.ts';
import { type Plan, type Use, useOf } from './workload.ts';

/** What one order costs at one service, in US dollars. */
export interface Cost {
  service: string;
  dollars: number;
}

/** An event is sent to its queue, received and deleted. */
const REQUESTS_OF_EVENT = 3;

export function costsOf(use: Use, region: Region): Cost[] {
  const at = (name: keyof typeof prices, units: number) => prices[name].of[region] * units;
  return [
    { service: 'Step Functions, state transitions', dollars: at('transition', use.transitions) },
    { service: 'Lambda, time', dollars: at('lambdaGigabyteSecond', use.gigabyteSeconds) },
    { service: 'Lambda, requests', dollars: at('lambdaRequest', runsOf(use)) },
    { service: 'DynamoDB, writes', dollars: at('dynamodbWriteUnit', use.writeUnits) },
    { service: 'DynamoDB, reads', dollars: at('dynamodbReadUnit', use.readUnits) },
    // The partner's own uploads are part of the order. What it reads of staging is not known.
    { service: 'S3, requests', dollars: at('s3Put', use.s3Puts + use.events) + at('s3Get', use.s3Gets) },
    // The last request has two events: the status, and the end.
    { service: 'EventBridge, events', dollars: at('event', use.events + use.eventPuts + 1) },
    { service: 'SQS, events', dollars: at('sqsRequest', use.events * REQUESTS_OF_EVENT) },
    { service: 'CloudWatch Logs', dollars: at('logGigabyte', use.logGigabytes) },
  ];
}

export function total(costs: readonly Pick<Cost, 'dollars'>[]): number {
  return costs.reduce((sum, { dollars }) => sum + dollars, 0);
}

/** What one more of each costs, while no further execution is needed. Each costs the same, however many there are. */
export function costOfOneMore(plan: Plan): Record<keyof OrderSize, number> {
  const { region } = plan;
  const size = { ...plan.size, polls: LEAST_POLLS };
  const endless = { ...plan, readsPerExecution: Number.POSITIVE_INFINITY };
  const before = total(costsOf(useOf(size, endless), region));
  const more = (name: keyof OrderSize) =>
    total(costsOf(useOf({ ...size, [name]: size[name] + 1 }, endless), region)) - before;
  return { polls: more('polls'), documents: more('documents'), toSign: more('toSign'), confirms: more('confirms') };
}
