import { expect, test } from 'vitest';
import { reportLines, withoutIdentifiers } from '../../../../commands/rehearse/report.ts';

test('a report names nothing that identifies an account', () => {
  const said =
    'arn:aws:states:eu-central-1:111122223333:stateMachine:loan-orders of 111122223333, key AKIAIOSFODNN7EXAMPLE, https://abc.lambda-url.eu-central-1.on.aws/v1.';
  expect(withoutIdentifiers(said)).toBe('<arn> of <account>, key <access key>, <address>.');
});

test('a report counts what held and what differed', () => {
  const lines = reportLines('Rehearsal', [
    { check: 'gost', state: 'ok', message: 'It ended as CLOSED.' },
    { check: 'manual', state: 'problem', message: 'It should end as CLOSED, and is IN_WORK.' },
    { check: 'queues', state: 'not checked', message: 'Not checked in 111122223333.' },
  ]);
  expect(lines).toEqual([
    'Rehearsal',
    'ok  gost    It ended as CLOSED.',
    '!!  manual  It should end as CLOSED, and is IN_WORK.',
    '--  queues  Not checked in <account>.',
    '1 check held, 1 differed, 1 could not be checked.',
  ]);
});
