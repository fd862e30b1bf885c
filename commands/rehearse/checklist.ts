import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { operatorStackName, resourcesName } from '../../infra/names.ts';
import { type Finding, finding } from '../doctor/finding.ts';
import { doctor } from '../doctor.ts';
import { clientSettings, type PlaceOptions } from '../shared/place.ts';
import { homeOf, stackOutputs } from '../shared/stack-outputs.ts';
import { REFERENCES } from './orders.ts';
import type { Rehearsal } from './rehearsal.ts';

/** What docs/deployment.md checks in the first hour of an account, and what doctor checks. */
export async function checklist({ place, say }: Rehearsal): Promise<Finding[]> {
  say('Going through the checklist of the first hour …');
  const { json } = await doctor(place);
  const looked = (json as Finding[]).map((finding) => ({ ...finding, check: `doctor: ${finding.check}` }));
  return [...looked, await undelivered(place), ...(await operatorsRights(place))];
}

/** Whether EventBridge may put events into the queues. */
async function undelivered(place: PlaceOptions): Promise<Finding> {
  const check = 'events into queues';
  if (place.local) return { check, state: 'not checked', message: 'Not checked: the embedded AWS has no alarms.' };
  const name = `${resourcesName(await homeOf(place))}-events-undelivered`;
  const client = new CloudWatchClient(clientSettings(place));
  const { MetricAlarms: [alarm] = [] } = await client.send(new DescribeAlarmsCommand({ AlarmNames: [name] }));
  const { StateValue: state = 'missing' } = alarm ?? {};
  const later = state === 'OK' ? '' : ' Repeat this step a quarter of an hour after the orders.';
  const states = { OK: 'ok', INSUFFICIENT_DATA: 'not checked' } as const;
  return {
    check,
    state: states[state as keyof typeof states] ?? 'problem',
    message: `The alarm events-undelivered is ${state}.${later}`,
  };
}

/** Tries an operator's rights: reading orders is allowed, deciding is not. */
async function operatorsRights(place: PlaceOptions): Promise<Finding[]> {
  const RoleArn = (await stackOutputs(place, operatorStackName))('OperatorRole');
  const sts = new STSClient(clientSettings(place));
  const { Credentials: given } = await sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'rehearsal' }));
  const credentials = {
    accessKeyId: given?.AccessKeyId ?? '',
    secretAccessKey: given?.SecretAccessKey ?? '',
    sessionToken: given?.SessionToken ?? '',
  };
  const client = new DynamoDBClient({ ...clientSettings(place), credentials });
  const TableName = (await stackOutputs(place))('OrderTable');
  const look = new QueryCommand({
    TableName,
    KeyConditionExpression: 'orderRef = :ref',
    ExpressionAttributeValues: { ':ref': { S: REFERENCES[0] ?? '' } },
  });
  // Would change nothing, because every order has this attribute.
  const decide = new UpdateItemCommand({
    TableName,
    Key: { orderRef: { S: REFERENCES[0] ?? '' }, item: { S: 'order' } },
    UpdateExpression: 'REMOVE decision',
    ConditionExpression: 'attribute_not_exists(orderRef)',
  });
  return [
    await right('An operator can look at orders', client.send(look), 'none'),
    await right('An operator cannot decide', client.send(decide), 'AccessDeniedException'),
  ];
}

/** @param expected the name of the expected error, or `none`. */
async function right(sentence: string, call: Promise<unknown>, expected: string): Promise<Finding> {
  const error = await call.then(
    () => 'none',
    ({ name }: Error) => name,
  );
  const isOk = error === expected;
  return finding('operators', isOk, isOk ? `${sentence}.` : `${sentence}: expected ${expected}, got ${error}.`);
}
