import type { HistoryEvent } from '@aws-sdk/client-sfn';
import { expect, test } from 'vitest';
import { areaOf, sharesOf } from '../../../bench/parts-cpu.ts';
import { ENGINE, INTAKE, PEOPLE, timeParts, WAIT } from '../../../bench/parts-time.ts';

function event(at: number, type: string, name = ''): HistoryEvent {
  const details = type.endsWith('Entered') ? 'stateEnteredEventDetails' : 'stateExitedEventDetails';
  return { id: 1, timestamp: new Date(at), type: type as HistoryEvent['type'], [details]: { name } };
}

test('the parts of an order add up to its time, and simultaneous steps share their time', () => {
  const events = [
    event(1_000, 'ExecutionStarted'),
    event(1_010, 'TaskStateEntered', 'Create order'),
    event(1_050, 'TaskStateExited', 'Create order'),
    event(1_050, 'WaitStateEntered', 'In work'),
    event(2_050, 'WaitStateExited', 'In work'),
    event(2_050, 'TaskStateEntered', 'Upload document'),
    event(2_050, 'TaskStateEntered', 'Other'),
    event(2_090, 'TaskStateExited', 'Other'),
    event(2_100, 'TaskStateExited', 'Upload document'),
    event(2_100, 'TaskStateEntered', 'Sign documents'),
    event(2_120, 'TaskSubmitted'),
    event(2_620, 'TaskSucceeded'),
    event(2_620, 'TaskStateExited', 'Sign documents'),
    event(2_625, 'ExecutionSucceeded'),
  ];
  const parts = timeParts(new Map([['order', events]]), new Map([['order', 900]]));
  expect(parts).toEqual({
    [INTAKE]: 100,
    [ENGINE]: 15,
    'Create order': 40,
    [WAIT]: 1_000,
    'Upload document': 30,
    Other: 20,
    'Sign documents': 20,
    [PEOPLE]: 500,
  });
  expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBe(2_625 - 900);
});

test('the parts of several orders are averaged', () => {
  const histories = new Map(
    [100, 300].map((length) => [
      `order-${length}`,
      [event(0, 'ExecutionStarted'), event(length, 'ExecutionSucceeded')],
    ]),
  );
  const parts = timeParts(histories, new Map());
  expect(parts[ENGINE]).toBe(200);
});

test('a profile sample counts for its file, or for the nearest caller whose file belongs to a part', () => {
  const node = (id: number, functionName: string, url: string, children: number[] = []) => {
    return { id, callFrame: { functionName, url }, children };
  };
  const nodes = [
    node(1, '(root)', '', [2, 3, 5]),
    node(2, '(idle)', ''),
    node(3, 'serve', 'file:///project/packages/embedded-aws/s3/service.ts', [4]),
    node(4, 'parse', ''),
    node(5, 'write', 'node:net'),
  ];
  const shares = sharesOf({ nodes, samples: [2, 3, 4, 5], timeDeltas: [900, 10, 20, 70] });
  expect(shares).toEqual({ S3: 0.3, "Node's sockets, HTTP and streams": 0.7 });
});

test.each([
  ['file:///project/packages/embedded-aws/step-functions/engine.ts', 'Step Functions'],
  ['file:///project/node_modules/dynalite/index.js', 'DynamoDB'],
  ['file:///project/packages/embedded-aws/server.ts', 'other embedded AWS'],
  ['file:///project/packages/order-simulator/server.ts', 'simulator'],
  ['file:///project/laptop/progress.ts', "the laptop's people"],
  ['file:///project/laptop/people/signer.ts', "the laptop's people"],
  ['file:///project/node_modules/some-helper/index.js', undefined],
])('code of %s belongs to %s', (url, expected) => {
  expect(areaOf(url)).toBe(expected);
});
