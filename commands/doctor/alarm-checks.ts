import { CloudWatchClient, type MetricAlarm, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { type AccountLimit, GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetTopicAttributesCommand, SNSClient } from '@aws-sdk/client-sns';
import { LAPTOP_STAGE, REHEARSAL_STAGE } from '../../infra/stage-folder.ts';
import { isAccessDenied } from '../shared/failure.ts';
import { clientSettings } from '../shared/place.ts';
import { namesInStack } from '../shared/stack-outputs.ts';
import { plain, some, time } from '../shared/text.ts';
import { NotChecked, ok, problem, type Verdict } from './finding.ts';
import { type StageView, stackOf } from './stage-view.ts';

/** The most alarms that CloudWatch describes in one call. */
const MOST_NAMES = 100;

/** A line for each alarm that needs attention; one line if none does. */
export async function checkAlarms(view: StageView): Promise<Verdict | Verdict[]> {
  stackOf(view);
  if (isEmulated(view)) return ok('The laptop runs no alarms: CloudWatch evaluates them on AWS.');
  const { names, alarms } = await describeAlarms(view);
  const lambda = new LambdaClient(clientSettings(view.options));
  const { AccountLimit = {} } = await lambda.send(new GetAccountSettingsCommand({}));
  return [alarmVerdicts(names, alarms), quotaVerdicts(alarms, AccountLimit)].flat();
}

/** A problem if the alarm on concurrent executions could never go off. */
export function quotaVerdicts(
  alarms: MetricAlarm[],
  { ConcurrentExecutions: quota = Infinity }: AccountLimit,
): Verdict[] {
  const alarm = alarms.find(({ MetricName }) => MetricName === 'ConcurrentExecutions');
  if (alarm?.Threshold === undefined || alarm.Threshold < quota) return [];
  return [
    problem(
      `Alarm ${alarm.AlarmName} goes off at ${alarm.Threshold} concurrent executions, but the account has ${quota}: set alarms.concurrentExecutions to that, and deploy.`,
    ),
  ];
}

export const isEmulated = ({ options: { local, stage } }: StageView) => local || stage === LAPTOP_STAGE;

async function describeAlarms({ options }: StageView): Promise<{ names: string[]; alarms: MetricAlarm[] }> {
  const names = await namesInStack(options, 'AWS::CloudWatch::Alarm');
  const client = new CloudWatchClient(clientSettings(options));
  const alarms: MetricAlarm[] = [];
  for (let first = 0; first < names.length; first += MOST_NAMES) {
    const query = { AlarmNames: names.slice(first, first + MOST_NAMES) };
    for await (const { MetricAlarms = [] } of paginateDescribeAlarms({ client }, query)) alarms.push(...MetricAlarms);
  }
  return { names, alarms };
}

/** Whether anybody is notified of alarms. */
export async function checkSubscribers(view: StageView): Promise<Verdict | Verdict[]> {
  stackOf(view);
  if (isEmulated(view)) return ok('The laptop notifies nobody.');
  if (view.home.name === REHEARSAL_STAGE) return ok('A rehearsal notifies nobody.');
  const { alarms } = await describeAlarms(view);
  const topics = [...new Set(alarms.flatMap(({ AlarmActions = [] }) => AlarmActions))];
  if (topics.length === 0) return problem('Nobody is told of alarms: they have no topic. Deploy the stage again.');
  return Promise.all(topics.map((topic) => checkTopic(view, topic)));
}

async function checkTopic({ options }: StageView, TopicArn: string): Promise<Verdict> {
  const client = new SNSClient(clientSettings(options));
  try {
    return topicVerdict(TopicArn, (await client.send(new GetTopicAttributesCommand({ TopicArn }))).Attributes ?? {});
  } catch (error) {
    if (!isAccessDenied(error as Error)) throw error;
    throw new NotChecked(`these credentials may not see who has subscribed to ${TopicArn}`);
  }
}

/** The finding for the attributes of a topic. An address counts once it has confirmed. */
export function topicVerdict(topic: string, attributes: Record<string, string>): Verdict {
  const [confirmed, pending] = [attributes.SubscriptionsConfirmed, attributes.SubscriptionsPending].map(Number);
  if (confirmed)
    return ok(`${some(confirmed, 'subscriber')} of ${topic} ${confirmed === 1 ? 'is' : 'are'} told of alarms.`);
  const fix = pending
    ? `${some(pending, 'subscription')} must still be confirmed: follow the link in the message from AWS.`
    : 'Set alarms.notify and deploy, or subscribe to the topic.';
  return problem(`Nobody is told of alarms: ${topic} has no subscriber. ${fix}`);
}

/** The findings for the states of the stack's alarms. */
export function alarmVerdicts(names: string[], alarms: MetricAlarm[]): Verdict | Verdict[] {
  const byName = new Map(alarms.map((alarm) => [alarm.AlarmName, alarm]));
  const problems = names.flatMap((name) => problemWith(name, byName.get(name)) ?? []).map(problem);
  if (problems.length > 0) return problems;
  const silent = alarms.filter(({ StateValue }) => StateValue === 'INSUFFICIENT_DATA').length;
  const noData =
    silent > 0 ? ` ${silent} of them ${silent === 1 ? 'has' : 'have'} no data yet, which is no fault.` : '';
  return ok(`None of the ${some(names.length, 'alarm')} has gone off.${noData}`);
}

function problemWith(name: string, alarm: MetricAlarm | undefined): string | undefined {
  if (!alarm) return `Alarm ${name} does not exist any more. Deploy the stage again.`;
  const { StateValue: state, StateUpdatedTimestamp: since, AlarmDescription: says = '' } = alarm;
  const at = since ? ` since ${time(since.toISOString())}` : '';
  if (state === 'ALARM') return plain(`Alarm ${name} has gone off${at}. ${says}`);
  // For any other alarm, missing data is normal: a metric without events has none.
  if (state === 'INSUFFICIENT_DATA' && alarm.TreatMissingData === 'breaching') {
    return `Alarm ${name} has no data${at}, although its metric is published all the time. If the stage was just deployed, repeat in a quarter of an hour.`;
  }
  return undefined;
}
