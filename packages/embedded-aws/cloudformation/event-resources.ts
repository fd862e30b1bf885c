import { arn } from '../account.ts';
import { DEFAULT_BUS, type RuleTarget } from '../events/bus.ts';
import { compileInput } from '../events/input.ts';
import { compilePattern } from '../events/pattern.ts';
import { nameOfBus } from '../events/service.ts';
import type { SendToQueue } from '../lambda/async-invocation.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { checkedProperties, listProperty, objectProperty, physicalName, unsupported } from './properties.ts';
import type { Provisioning } from './provisioning.ts';
import type { ProvisionedResource, ResourceDeclaration } from './stack.ts';
import { createDelivery, senderOfRule } from './target-delivery.ts';

/** A bus of the account's own. A policy or an archive has no effect on a laptop. */
export function provisionEventBus(declaration: ResourceDeclaration, provisioning: Provisioning): ProvisionedResource {
  const properties = checkedProperties(
    declaration,
    ['Name'],
    ['Description', 'KmsKeyIdentifier', 'LogConfig', 'Policy', 'Tags'],
  );
  const name = physicalName(declaration, properties.Name);
  provisioning.services.bus.addBus(name);
  return { ref: name, attributes: { Arn: arn(provisioning.account, 'events', `event-bus/${name}`), Name: name } };
}

export function provisionRule(declaration: ResourceDeclaration, provisioning: Provisioning): ProvisionedResource {
  const properties = checkedProperties(
    declaration,
    ['Name', 'EventPattern', 'State', 'Targets', 'EventBusName'],
    ['Description', 'RoleArn', 'Tags'],
  );
  const { EventPattern: pattern, EventBusName: busName } = properties;
  if (!isJsonObject(pattern)) throw unsupported(declaration, 'has no EventPattern.');
  const { bus } = provisioning.services;
  const onBus = nameOfBus(busName);
  if (!bus.has(onBus)) throw unsupported(declaration, `is on the bus ${onBus}, which no stack creates before it.`);
  const name = physicalName(declaration, properties.Name);
  const path = onBus === DEFAULT_BUS ? name : `${onBus}/${name}`;
  const ruleArn = arn(provisioning.account, 'events', `rule/${path}`);
  const matches = compilePattern(pattern);
  const targets = listProperty(properties, 'Targets').map((target) =>
    createTarget(declaration, provisioning, ruleArn, target),
  );
  if (properties.State !== 'DISABLED') bus.addRule({ arn: ruleArn, matches, targets }, onBus);
  return { ref: onBus === DEFAULT_BUS ? name : `${onBus}|${name}`, attributes: { Arn: ruleArn } };
}

const TARGET_MEMBERS = [
  'Arn',
  'Id',
  'RoleArn',
  'DeadLetterConfig',
  'RetryPolicy',
  'Input',
  'InputPath',
  'InputTransformer',
];

function createTarget(
  declaration: ResourceDeclaration,
  provisioning: Provisioning,
  ruleArn: string,
  target: JsonObject,
): RuleTarget {
  const other = Object.keys(target).find((member) => !TARGET_MEMBERS.includes(member));
  if (other) throw unsupported(declaration, `has a target with ${other}, which is not supported.`);
  const targetArn = String(target.Arn);
  const sendDeadLetter = deadLetterSender(declaration, provisioning, ruleArn, target);
  return {
    arn: targetArn,
    input: compileInput(target),
    deliver: createDelivery(declaration, provisioning, targetArn, ruleArn),
    undelivered: (event, error) => {
      const log = { functionName: ruleArn, requestId: String(event.id), stream: 'stderr' } as const;
      provisioning.services.log.add({ ...log, line: `${targetArn} did not accept the event: ${error.message}` });
      try {
        sendDeadLetter?.(JSON.stringify(event), {
          RULE_ARN: { DataType: 'String', StringValue: ruleArn },
          TARGET_ARN: { DataType: 'String', StringValue: targetArn },
          ERROR_CODE: { DataType: 'String', StringValue: error.name },
          ERROR_MESSAGE: { DataType: 'String', StringValue: error.message },
        });
      } catch (refused) {
        provisioning.services.log.add({ ...log, line: `The event is lost: ${(refused as Error).message}` });
      }
    },
  };
}

function deadLetterSender(
  declaration: ResourceDeclaration,
  provisioning: Provisioning,
  ruleArn: string,
  target: JsonObject,
): SendToQueue | undefined {
  const { Arn: deadLetterArn } = objectProperty(target, 'DeadLetterConfig');
  if (deadLetterArn === undefined) return undefined;
  const queue = provisioning.services.sqs.byArn(String(deadLetterArn));
  if (!queue)
    throw unsupported(declaration, `sends to ${String(deadLetterArn)}, which is not a queue of these stacks.`);
  return senderOfRule(provisioning, ruleArn, queue);
}
