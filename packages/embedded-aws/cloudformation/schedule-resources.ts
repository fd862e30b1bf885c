import { arn } from '../account.ts';
import type { Json, JsonObject } from '../protocol/operation.ts';
import type { Schedule } from '../scheduler/scheduler.ts';
import { checkTarget, objectProperty, type Resource, unsupported } from './properties.ts';
import type { ProvisionedResource } from './stack.ts';
import { createDelivery, createRefusal } from './target-delivery.ts';

const MINUTE = 60_000;
const UNITS: Record<string, number> = { minute: MINUTE, hour: 60 * MINUTE, day: 24 * 60 * MINUTE };

/** An EventBridge Scheduler schedule. It does not retry: an input that the target refuses becomes a dead letter at once. */
export function createSchedule(resource: Resource): ProvisionedResource {
  const { account, services, properties, name } = resource;
  refuseUnsupported(resource, properties);
  const group = typeof properties.GroupName === 'string' ? properties.GroupName : 'default';
  const scheduleArn = arn(account, 'scheduler', `schedule/${group}/${name}`);
  const target = readTarget(resource, scheduleArn);
  if (properties.State !== 'DISABLED') {
    services.scheduler.add({ arn: scheduleArn, interval: intervalOf(resource), ...target });
  }
  return { ref: name, attributes: { Arn: scheduleArn } };
}

function refuseUnsupported(resource: Resource, properties: JsonObject): void {
  const { ScheduleExpressionTimezone: zone = 'UTC' } = properties;
  if (!['UTC', 'Etc/UTC'].includes(String(zone))) {
    throw unsupported(resource, `uses the time zone ${String(zone)}; only UTC is supported.`);
  }
  if (objectProperty(properties, 'FlexibleTimeWindow').Mode !== 'OFF') {
    throw unsupported(resource, 'has a flexible time window; only the mode OFF is supported.');
  }
}

/** Reads `rate(<number> minutes | hours | days)`. Throws an UnsupportedError for any other expression, such as cron. */
function intervalOf(resource: Resource): number {
  const expression = String(resource.properties.ScheduleExpression);
  const [, count = '', unit = '', plural = ''] = /^rate\(([1-9]\d*) (minute|hour|day)(s?)\)$/.exec(expression) ?? [];
  const milliseconds = UNITS[unit];
  if (!milliseconds) throw unsupported(resource, `has the schedule ${expression}; only rate(…) is supported.`);
  // AWS refuses `rate(1 minutes)`.
  if ((count === '1') === (plural === '')) return Number(count) * milliseconds;
  throw unsupported(resource, `has ${expression}: the unit must be singular for 1 and plural for any other number.`);
}

function readTarget(resource: Resource, scheduleArn: string): Omit<Schedule, 'arn' | 'interval'> {
  const target = objectProperty(resource.properties, 'Target');
  checkTarget(resource, target, 'Arn RoleArn Input RetryPolicy DeadLetterConfig');
  const input = typeof target.Input === 'string' ? target.Input : '{}';
  if (input.includes('<aws.scheduler.'))
    throw unsupported(resource, 'uses context attributes, which are not supported.');
  const targetArn = String(target.Arn);
  const deliver = createDelivery(resource, targetArn);
  return {
    targetArn,
    input,
    deliver: (input) => deliver(JSON.parse(input) as Json),
    undelivered: createRefusal(resource, target, 'SCHEDULE_ARN', scheduleArn),
  };
}
