import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { makeAuthority, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { expect, test } from 'vitest';
import { alarmVerdicts, quotaVerdicts, topicVerdict } from '../../../../commands/doctor/alarm-checks.ts';
import { certificateVerdicts } from '../../../../commands/doctor/certificate-checks.ts';
import { bucketVerdict, tableVerdict } from '../../../../commands/doctor/given-checks.ts';
import {
  answersVerdict,
  ordersVerdict,
  serviceVerdict,
  tokenVerdict,
} from '../../../../commands/doctor/order-checks.ts';
import {
  releaseProblem,
  signaturesVerdict,
  stackVerdict,
  updateProblem,
} from '../../../../commands/doctor/stack-checks.ts';
import { callsVerdict } from '../../../../commands/doctor/stage-checks.ts';
import { type HeldOrder, waitsVerdict } from '../../../../commands/doctor/wait-checks.ts';
import type { ListedOrder } from '../../../../commands/shared/order-details.ts';
import { deployedSettings } from '../../../../infra/deployed-settings.ts';
import { ORDER_INDEXES } from '../../../../infra/order-table.ts';
import { stageSettings } from '../../../../infra/stages.ts';

test.each([
  [7, { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 }, 0, 'problem', '10 concurrent executions 0 can'],
  [50, { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 149 }, 0, 'problem', 'executions 49 can'],
  [50, { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 110 }, 40, 'ok', 'fits'],
])('callsAtOnce %i in an account with %o, of which %i are reserved: %s', (calls, limit, reserved, state, words) => {
  expect(callsVerdict(calls, limit, reserved)).toEqual({ state, message: expect.stringContaining(words) });
});

test('an alarm above the quota of the account, which a new one has, is a problem', () => {
  const alarm = { AlarmName: 'A', MetricName: 'ConcurrentExecutions', Threshold: 800 };
  expect(quotaVerdicts([alarm], { ConcurrentExecutions: 1_000 })).toEqual([]);
  expect(quotaVerdicts([alarm], { ConcurrentExecutions: 10 })[0]?.message).toContain('but the account has 10');
});

test.each([
  ['CREATE_COMPLETE', 'ok', 'Stack LoanOrders-prod is CREATE_COMPLETE, deployed at 2026-01-01 00:00:00Z.'],
  ['UPDATE_COMPLETE_CLEANUP_IN_PROGRESS', 'problem', 'a deployment is under way'],
  ['UPDATE_ROLLBACK_COMPLETE', 'problem', 'the last deployment failed, and what was deployed before it runs'],
  ['UPDATE_ROLLBACK_FAILED', 'problem', '"loan-orders rollback prod"'],
  ['DELETE_FAILED', 'problem', 'its removal failed. Its events'],
  ['DELETE_IN_PROGRESS', 'problem', 'it is being removed'],
  ['REVIEW_IN_PROGRESS', 'problem', 'nothing is deployed yet. Deploy the stage'],
  ['UPDATE_FAILED', 'problem', 'the last deployment failed. Its events'],
  ['ROLLBACK_COMPLETE', 'problem', 'update-termination-protection --stack-name LoanOrders-prod --no'],
  ['ROLLBACK_FAILED', 'problem', 'the first deployment failed. Its events'],
])('a stack that is %s: %s', (status, state, words) => {
  const message = expect.stringContaining(words);
  expect(stackVerdict('LoanOrders-prod', status, 'prod', new Date('2026-01-01T00:00:00Z'))).toEqual({ state, message });
});

test.each([
  [{ gate: 'off' }, 'Signatures are not checked: signing.gate is off.'],
  [{ caBundle: 'PEM', crl: 'PEM' }, 'Signatures are checked.'],
  [{ crl: 'PEM' }, "Signatures are checked, but not who issued the signers' certificates (signing.caBundle)."],
  [
    { caBundle: 'PEM', unchecked: 'accept' },
    'Signatures are checked, but not whether they were revoked (signing.crl, signing.revocation), nor algorithms that are not known here (signing.unchecked).',
  ],
] as const)('what the gate leaves unchecked with %o', (settings, message) => {
  const stage = stageSettings('prod');
  const { signatures } = deployedSettings({ ...stage, signing: { ...stage.signing, ...settings } });
  expect(signaturesVerdict(signatures)).toEqual({ state: 'ok', message });
});

const order = (orderRef: string, at: string, error?: string, waitingFor: ListedOrder['waitingFor'] = 'service') =>
  ({
    orderRef,
    status: 'IN_WORK',
    waitingFor,
    generation: 1,
    changedAt: at,
    ...(error && { failure: { error, cause: 'of the failure', at } }),
  }) as ListedOrder;

const DAY = 86_400_000;
const [ONE, TWO, THREE] = ['2026-01-01T01:00:00Z', '2026-01-01T02:00:00Z', '2026-01-01T03:00:00Z'];

test('the newest refusal is named, and when an order was last answered', () => {
  const orders = [
    order('old', ONE, 'Unauthorized', 'operator'),
    order('new', THREE, 'Unauthorized', 'operator'),
    order('good', TWO),
  ];
  const { state, message } = tokenVerdict(orders);
  expect(state).toBe('problem');
  expect(message).toContain('2 orders wait because of Unauthorized, the newest (new) since 2026-01-01 03:00:00Z.');
  expect(message).toContain('changed last at 2026-01-01 02:00:00Z.');
});

test('orders that an outage stopped are no problem once the service answers again', () => {
  expect(serviceVerdict([order('stopped', ONE, 'ServiceUnavailable'), order('good', TWO)]).state).toBe('ok');
  expect(serviceVerdict([order('stopped', THREE, 'ServiceUnavailable'), order('good', TWO)]).state).toBe('problem');
});

test('orders whose outage lasted too long wait for an operator, also when the service answers again', () => {
  const orders = [
    order('given-up', ONE, 'ServiceUnavailable', 'operator'),
    order('stopped', ONE, 'ServiceUnavailable'),
    order('good', TWO),
  ];
  const { state, message } = serviceVerdict(orders);
  expect(state).toBe('problem');
  expect(message).toContain('Those that wait for the service go on by themselves.');
  expect(message).toContain('Retry those that wait for an operator: 1,');
});

test('an answer that cannot be used is a problem, with the words of the newest one', () => {
  const stopped = order('empty', TWO, 'UnexpectedResponse', 'operator');
  stopped.failure = { error: 'UnexpectedResponse', cause: 'Read order: 200, but the body is empty.', at: TWO };
  const words = 'the newest (empty) since 2026-01-01 02:00:00Z: Read order: 200, but the body is empty.';
  const verdict = { state: 'problem', message: expect.stringContaining(words) };
  expect(answersVerdict([order('good', ONE), stopped])).toEqual(verdict);
});

test('a certificate that expires within a month is a problem, and names where it is', () => {
  const pem = toPem(makeAuthority().certificate);
  const end = new X509Certificate(pem).validToDate.getTime();
  expect(certificateVerdicts([['signing.caBundle', pem]], end - 31 * DAY)).toMatchObject({ state: 'ok' });
  for (const [now, words] of [
    [end - 29 * DAY, 'expires at'],
    [end + DAY, 'expired at'],
  ] as const) {
    const message = expect.stringMatching(new RegExp(`in signing.caBundle ${words}`));
    expect(certificateVerdicts([['signing.caBundle', pem]], now)).toEqual([{ state: 'problem', message }]);
  }
});

test.each<[number | undefined, number, string | undefined]>([
  [undefined, 0, undefined],
  [5, 9, undefined],
  [4, 0, undefined],
  [6, 0, undefined],
  [4, 2, 'but 2 open orders did not yet move to release 1.0.0: it must not be deployed yet. Run "loan-orders migrate'],
  [3, 0, 'First deploy the last release of format 4, which CHANGELOG.md names'],
  [7, 0, 'First deploy the last release of format 6'],
])(
  'over records of format %s, with %s orders left in an older release, this one of format 5 is refused: %s',
  (recordFormat, left, words) => {
    const reason = updateProblem({ version: '1.0.0', ...(recordFormat && { recordFormat }) }, left, {
      version: '1.4.0',
      recordFormat: recordFormat === undefined ? 1 : 5,
    });
    expect(reason).toEqual(words && expect.stringContaining(words));
  },
);

test('a release is a problem while half of the open orders run in others', () => {
  const inRelease = (release: string) => ({ ...order('one', ONE), execution: 'arn', release });
  const [old, current] = [inRelease('old'), inRelease('new')];
  expect(releaseProblem('new', [], false)).toBeUndefined();
  expect(releaseProblem('new', [current, current, old], false)).toBeUndefined();
  const words = 'but 1 of 2 open orders run in 1 older release. The sweep';
  expect(releaseProblem('new', [current, old], false)).toContain(words);
  expect(releaseProblem('new', [old], true)).toContain('loan-orders migrate --all');
});

test('orders that wait for an operator are a problem, by failure', () => {
  const orders = [
    order('one', ONE, 'Rejected', 'operator'),
    order('two', TWO, 'OutcomeUnknown', 'operator'),
    order('three', THREE, 'Rejected', 'operator'),
    order('good', TWO),
  ];
  const words = 'It has 4 open orders, and an operator must look at 3: 2 Rejected, 1 OutcomeUnknown.';
  expect(ordersVerdict('table', orders)).toEqual({ state: 'problem', message: expect.stringContaining(words) });
});

test('an order that was dismissed, or that has only been accepted, says nothing about the service', () => {
  const accepted = { ...order('accepted', THREE), status: 'RECEIVED' };
  const dismissed = order('dismissed', TWO, 'DismissedByOperator', 'nobody');
  expect(serviceVerdict([accepted, dismissed]).message).toContain('No order has been read');
});

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

test.each([
  ['1', '0', 'ok', '1 subscriber of arn:on-call is told of alarms.'],
  [
    '0',
    '1',
    'problem',
    'Nobody is told of alarms: arn:on-call has no subscriber. 1 subscription must still be confirmed: ',
  ],
])('a topic with %s subscribers and %s that must confirm: %s', (confirmed, pending, state, words) => {
  const attributes = { SubscriptionsConfirmed: confirmed, SubscriptionsPending: pending };
  expect(topicVerdict('arn:on-call', attributes)).toEqual({ state, message: expect.stringContaining(words) });
});

test('a given bucket needs versioning, and that of the partner sends its events', () => {
  expect(bucketVerdict('ours', { Status: 'Enabled' }).state).toBe('ok');
  const words = /^Bucket ours has no versioning, so .*, and sends nothing to EventBridge, so no order/;
  const verdict = { state: 'problem', message: expect.stringMatching(words) };
  expect(bucketVerdict('ours', { Status: 'Suspended' }, {})).toEqual(verdict);
});

test('an adopted table needs the keys, the indexes and the backups that the stack counts on', () => {
  const keyOf = (partition: string, sort: string) => [
    { AttributeName: partition, KeyType: 'HASH' as const },
    { AttributeName: sort, KeyType: 'RANGE' as const },
  ];
  const indexes = ORDER_INDEXES.map(({ name, partition, sort, facts }) => ({
    IndexName: name,
    KeySchema: keyOf(partition, sort),
    Projection: { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: facts },
  }));
  const table = {
    TableName: 'restored',
    TableStatus: 'ACTIVE' as const,
    KeySchema: keyOf('orderRef', 'item'),
    GlobalSecondaryIndexes: indexes,
  };
  const messageOf = (changed: object, isRecoverable: boolean, needsProtection: boolean, isKnown = true) =>
    tableVerdict({ ...table, ...changed }, { isRecoverable, needsProtection, isKnown }).message;
  const fine = 'Table restored, which the stage has adopted, has what the stage needs.';
  expect(messageOf({}, true, false)).toBe(fine);
  const all = indexes.map((index) => ({ ...index, Projection: { ProjectionType: 'ALL' as const } }));
  expect(messageOf({ GlobalSecondaryIndexes: all }, true, false)).toBe(fine);
  const making = indexes.map((index) => ({ ...index, IndexStatus: index === indexes[1] ? 'CREATING' : 'ACTIVE' }));
  expect(messageOf({ TableStatus: 'UPDATING', GlobalSecondaryIndexes: making }, true, false)).toBe(
    'Table restored, which the stage has adopted, still makes its index byWaiting (docs/recovery.md#a-table).',
  );
  const arn = (region: string) => `arn:aws:dynamodb:${region}:111122223333:table/orders`;
  const restoredFrom = (region: string) => ({
    TableArn: arn('eu-central-1'),
    RestoreSummary: {
      SourceTableArn: arn(region),
      RestoreDateTime: new Date('2026-11-12T09:00:00Z'),
      RestoreInProgress: false,
    },
  });
  for (const [from, time] of [
    [restoredFrom('eu-central-1'), '2026-11-12T09:00:00.000Z'],
    [restoredFrom('eu-west-1'), '1970-01-01T00:00:00Z'],
    [{ TableArn: arn('eu-central-1') }, '1970-01-01T00:00:00Z'],
  ] as const) {
    expect(messageOf(from, true, false, false)).toBe(
      'Table restored, which the stage has adopted, may lack orders that the service has: run "loan-orders restored ' +
        `--to ${time}" (docs/recovery.md#a-table).`,
    );
  }
  const advice = readFileSync('docs/recovery.md', 'utf8');
  expect(JSON.parse(/'(\[\{"Create".*)'/.exec(advice)?.[1] ?? '')).toEqual([{ Create: indexes.at(-1) }]);
  const [first, second, ...others] = indexes;
  const lost = [
    { ...first, KeySchema: keyOf('status', 'at') },
    { ...second, Projection: { NonKeyAttributes: [] } },
    ...others,
  ];
  const changed = { TableStatus: 'ARCHIVED', KeySchema: keyOf('orderRef', 'at'), GlobalSecondaryIndexes: lost };
  expect(messageOf(changed, false, true)).toBe(
    'Table restored, which the stage has adopted, is ARCHIVED, and has another key than orderRef and item, and lacks what the stage ' +
      'needs of byStatus, byWaiting, and has no point-in-time recovery, and is not protected from deletion (docs/recovery.md#a-table).',
  );
});

const held = (whose: HeldOrder['whose'], hours: number, orderRef = 'a'): HeldOrder => ({
  ...{ whose, orderRef, until: new Date(Date.now() + hours * 3_600_000).toISOString() },
});

test.each<['ok' | 'problem', HeldOrder[], RegExp]>([
  ['ok', [], /^No order waits because a service asked/],
  ['problem', [held('token', 16, 'all orders')], /^Because of token: all orders, until .*operations/],
  ['ok', [held('token', 0.5)], /^Because of token/],
  ['problem', [held('Retry-After', 2), held('Retry-After', 16, 'b')], /^Because of Retry-After: b and 1 other, until/],
  [
    'problem',
    [held('outage', 0.5), held('pollAfterSeconds', 30)],
    /^Because of outage: .* Because of pollAfterSeconds/,
  ],
  ['ok', [held('pollAfterSeconds', 20)], /^Because of pollAfterSeconds/],
])('%s: %j', (state, waits, message) => {
  expect(waitsVerdict(waits)).toEqual({ state, message: expect.stringMatching(message) });
});
