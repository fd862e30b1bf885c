import { expect, test } from 'vitest';
import { alarmVerdicts } from '../../../../commands/doctor/alarm-checks.ts';

const since = new Date('2026-01-01T00:00:00Z');
const alarm = (
  AlarmName: string,
  StateValue: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA',
  TreatMissingData = 'notBreaching',
) => ({
  AlarmName,
  StateValue,
  TreatMissingData,
  StateUpdatedTimestamp: since,
  AlarmDescription: 'An order\u001b[31m waits. See docs/operations.md#alarm-operator',
});

test('alarms that have not gone off are one line, also those that have no data', () => {
  expect(alarmVerdicts(['a', 'b'], [alarm('a', 'OK'), alarm('b', 'OK')])).toEqual({
    state: 'ok',
    message: 'None of the 2 alarms has gone off.',
  });
  expect(alarmVerdicts(['a', 'b'], [alarm('a', 'OK'), alarm('b', 'INSUFFICIENT_DATA', 'ignore')])).toEqual({
    state: 'ok',
    message: 'None of the 2 alarms has gone off. 1 of them has no data yet, which is no fault.',
  });
});

test('an alarm that needs somebody has a line of its own, which says since when and what to read', () => {
  const alarms = [alarm('a', 'OK'), alarm('b', 'ALARM'), alarm('c', 'INSUFFICIENT_DATA', 'breaching')];
  expect(alarmVerdicts(['a', 'b', 'c', 'd'], alarms)).toEqual([
    {
      state: 'problem',
      message: 'Alarm b has gone off since 2026-01-01 00:00:00Z. An order waits. See docs/operations.md#alarm-operator',
    },
    { state: 'problem', message: expect.stringContaining('Alarm c has no data since 2026-01-01 00:00:00Z, although') },
    { state: 'problem', message: 'Alarm d does not exist any more. Deploy the stage again.' },
  ]);
});
