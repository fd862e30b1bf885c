import { arn } from '../account.ts';
import { UnsupportedError } from '../protocol/errors.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import { occurrencesOf } from '../scheduler/expression.ts';
import type { Schedule } from '../scheduler/scheduler.ts';
import { queueSender } from './lambda-resources.ts';
import { checkedProperties, objectProperty, physicalName, unsupported } from './properties.ts';
import type { Provisioning } from './provisioning.ts';
import type { ProvisionedResource, ResourceDeclaration } from './stack.ts';
import { createDelivery } from './target-delivery.ts';

/** A schedule of EventBridge Scheduler. Retries are not supported: an input that the target does not accept becomes a dead letter at once. */
export function provisionSchedule(declaration: ResourceDeclaration, provisioning: Provisioning): ProvisionedResource {
  const properties = checkedProperties(
    declaration,
    [
      'Name',
      'GroupName',
      'ScheduleExpression',
      'ScheduleExpressionTimezone',
      'StartDate',
      'EndDate',
      'State',
      'Target',
      'FlexibleTimeWindow',
    ],
    // ActionAfterCompletion has no effect here: a schedule that has ended does nothing either way.
    ['Description', 'KmsKeyArn', 'ActionAfterCompletion'],
  );
  refuseUnsupported(declaration, properties);
  const name = physicalName(declaration, properties.Name);
  const group = typeof properties.GroupName === 'string' ? properties.GroupName : 'default';
  const scheduleArn = arn(provisioning.account, 'scheduler', `schedule/${group}/${name}`);
  const occurrencesFrom = readOccurrences(declaration);
  const target = readTarget(declaration, provisioning, scheduleArn);
  if (properties.State !== 'DISABLED') {
    provisioning.services.scheduler.add({ arn: scheduleArn, occurrencesFrom, ...target });
  }
  return { ref: name, attributes: { Arn: scheduleArn } };
}

export function provisionScheduleGroup(
  declaration: ResourceDeclaration,
  { account }: Provisioning,
): ProvisionedResource {
  const name = physicalName(declaration, checkedProperties(declaration, ['Name'], ['Tags']).Name);
  return { ref: name, attributes: { Arn: arn(account, 'scheduler', `schedule-group/${name}`), State: 'ACTIVE' } };
}

function refuseUnsupported(declaration: ResourceDeclaration, properties: JsonObject): void {
  const { ScheduleExpressionTimezone: zone = 'UTC' } = properties;
  if (!['UTC', 'Etc/UTC'].includes(String(zone))) {
    throw unsupported(declaration, `uses the time zone ${String(zone)}; only UTC is supported.`);
  }
  if (objectProperty(properties, 'FlexibleTimeWindow').Mode !== 'OFF') {
    throw unsupported(declaration, 'has a flexible time window; only the mode OFF is supported.');
  }
}

function readOccurrences(declaration: ResourceDeclaration): Schedule['occurrencesFrom'] {
  const { ScheduleExpression: expression, StartDate: start, EndDate: end } = declaration.properties;
  const occurrencesFrom = (begin: number) =>
    occurrencesOf(String(expression), {
      begin: start === undefined ? begin : Date.parse(String(start)),
      ...(end !== undefined && { end: Date.parse(String(end)) }),
    });
  try {
    // Refuses an unsupported expression now, not when schedules start.
    occurrencesFrom(0);
    return occurrencesFrom;
  } catch (error) {
    if (error instanceof UnsupportedError) throw unsupported(declaration, error.message);
    throw error;
  }
}

const TARGET_MEMBERS = ['Arn', 'RoleArn', 'Input', 'RetryPolicy', 'DeadLetterConfig'];

function readTarget(
  declaration: ResourceDeclaration,
  provisioning: Provisioning,
  scheduleArn: string,
): Omit<Schedule, 'arn' | 'occurrencesFrom'> {
  const target = objectProperty(declaration.properties, 'Target');
  const other = Object.keys(target).find((member) => !TARGET_MEMBERS.includes(member));
  if (other) throw unsupported(declaration, `has a target with ${other}, which is not supported.`);
  const targetArn = String(target.Arn);
  const deliver = createDelivery(declaration, provisioning, targetArn);
  const deadLetterArn = objectProperty(target, 'DeadLetterConfig').Arn;
  const sendDeadLetter =
    deadLetterArn === undefined ? undefined : queueSender(declaration, provisioning, deadLetterArn);
  return {
    targetArn,
    input: typeof target.Input === 'string' ? target.Input : '{}',
    deliver: (input) => deliver(JSON.parse(input) as Json),
    undelivered: (input, error) => {
      const line = `${targetArn} did not accept the schedule's input: ${error.message}`;
      provisioning.services.log.add({ functionName: scheduleArn, requestId: scheduleArn, stream: 'stderr', line });
      sendDeadLetter?.(input, {
        SCHEDULE_ARN: { DataType: 'String', StringValue: scheduleArn },
        TARGET_ARN: { DataType: 'String', StringValue: targetArn },
        ERROR_CODE: { DataType: 'String', StringValue: error.name },
        ERROR_MESSAGE: { DataType: 'String', StringValue: error.message },
      });
    },
  };
}
