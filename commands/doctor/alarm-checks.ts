import { CloudWatchClient, type MetricAlarm, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { clientSettings } from '../stage/place.ts';
import { namesInStack } from '../stage/stack-outputs.ts';
import { plain, some, time } from '../text.ts';
import { ok, problem, type Verdict } from './finding.ts';
import { type StageView, stackOf } from './stage-view.ts';

/** The most alarms that CloudWatch describes in one call. */
const MOST_NAMES = 100;

/** A line for each alarm that needs attention; one line if none does. */
export async function checkAlarms(view: StageView): Promise<Verdict | Verdict[]> {
  stackOf(view);
  if (view.options.local || view.options.stage === 'local')
    return ok('The laptop runs no alarms: CloudWatch evaluates them on AWS.');
  const names = await namesInStack(view.options, 'AWS::CloudWatch::Alarm');
  const client = new CloudWatchClient(clientSettings(view.options));
  const alarms: MetricAlarm[] = [];
  for (let first = 0; first < names.length; first += MOST_NAMES) {
    const query = { AlarmNames: names.slice(first, first + MOST_NAMES) };
    for await (const { MetricAlarms = [] } of paginateDescribeAlarms({ client }, query)) alarms.push(...MetricAlarms);
  }
  return alarmVerdicts(names, alarms);
}

/** What the states of the stack's alarms mean. */
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
