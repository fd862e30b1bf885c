import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandFailure } from '../../../../commands/shared/failure.ts';
import { adviceFor, adviceOn, FAILURE_NAMES, FAILURES, namesIn } from '../../../../commands/shared/failure-advice.ts';
import type { OperationEntry } from '../../../../commands/shared/order-details.ts';
import { Refusal } from '../../../../commands/shared/text.ts';
import { errorNames } from '../../../../core/errors.ts';
import { creationOverAt, isCorrectable } from '../../../../core/order/creation-word.ts';
import type { OrderItem } from '../../../../core/order/order-item.ts';
import { timeouts } from '../../../../core/timeouts.ts';
import { OPERATIONS, withFailures } from '../../../../scripts/write-failures.ts';

const page = readFileSync(OPERATIONS, 'utf8');
/** The anchors of the headings, as GitHub makes them. */
const anchors = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-'),
);

test('the table of failures in docs/operations.md is what "npm run generate" writes', () => {
  expect(page).toContain('| `OutcomeUnknown` |');
  expect(withFailures(page)).toBe(page);
});

test('there is advice on every error that a function throws on purpose', () => {
  expect(FAILURE_NAMES).toEqual(expect.arrayContaining([...errorNames]));
});

test.each(Object.keys(FAILURES))(
  'the entry "%s" says in both languages what happened and what to do, and its section exists',
  (key) => {
    const [english, russian] = [adviceFor(key, 'my-order'), adviceFor(key, 'my-order', 'ru')];
    expect(anchors).toContain(english.section.replace('docs/operations.md#', ''));
    expect(english.command).toContain(' my-order');
    for (const text of [english.happened, english.step]) expect(text).toMatch(/^[A-Z].+[.t]$/);
    for (const text of [russian.happened, russian.step]) expect(text).toMatch(/^[А-ЯЁA-Z].*[а-яё]/);
    expect(english.step + russian.step).not.toContain('<ref>');
  },
);

const stopped = { orderRef: 'my-order', waitingFor: 'operator' } as const;
const failed = (error: string, cause = '') => adviceOn({ ...stopped, failure: { error, cause } });

test.each([
  ['Lambda.Unknown', '', 'Lambda.'],
  ['Runtime.ExitError', '', 'Runtime.'],
  ['Rejected', 'Create order: the order service answered 422.', 'Rejected (the creation)'],
  ['Rejected', 'Read order: the order service answered 404.', 'Rejected'],
  ['TypeError', '', 'States.Runtime, States.TaskFailed, any other name'],
  ['constructor', '', 'States.Runtime, States.TaskFailed, any other name'],
])('a failure %s with the cause "%s" has the advice of "%s"', (error, cause, key) => {
  expect(failed(error, cause)).toEqual(adviceFor(key, 'my-order'));
});

test('each name in the catalogue has the advice of its entry', () => {
  for (const key of Object.keys(FAILURES).filter((key) => !key.includes('(')))
    for (const name of namesIn(key)) expect(failed(name), name).toEqual(adviceFor(key, 'my-order'));
});

test('an unknown creation comes before the failure that left it', () => {
  const { command } = adviceOn({ ...stopped, failure: { error: 'Runtime.ExitError' }, creation: 'unknown' });
  expect(command).toBe('loan-orders resolve my-order --order-id <orderId>');
});

const done = { state: 'done', outcome: { orderId: 'one' } } as const;
const begun = Date.parse('2026-01-01T00:00:00Z');
const open: OperationEntry = {
  orderRef: 'a',
  item: 'operation#create',
  knowledge: { state: 'open' },
  attempts: 1,
  attemptId: 'one',
  call: {},
  intendedAt: new Date(begun).toISOString(),
};

test('a creation without a recorded failure may be running for as long as its function may run', () => {
  const over = begun + timeouts.functionSeconds * 1000;
  expect(creationOverAt(open, over - 1)).toEqual(new Date(over));
  expect(creationOverAt(open, over)).toBeUndefined();
});

test('a creation with a recorded failure or outcome is not running', () => {
  expect(creationOverAt({ ...open, failure: 'OutcomeUnknown' }, begun)).toBeUndefined();
  expect(creationOverAt({ ...open, knowledge: done }, begun)).toBeUndefined();
});

test('only an orderId that an operator gave can be corrected, and only before the service has answered a read', () => {
  const [never, read] = [{ status: 'RECEIVED' }, { status: 'IN_WORK' }] as OrderItem[];
  const resolved: OperationEntry = { ...open, knowledge: done, resolvedAt: open.intendedAt };
  expect(isCorrectable(resolved, never as OrderItem)).toBe(true);
  expect(isCorrectable(resolved, read as OrderItem)).toBe(false);
  expect(isCorrectable({ ...open, knowledge: done }, never as OrderItem)).toBe(false);
});

const failure = (name: string, message: string, more: object = {}) =>
  Object.assign(new Error(message), { name, $metadata: {}, $fault: 'client', ...more });

test.each<[Error, string, number?]>([
  [new Refusal('No.'), 'No.'],
  [failure('Error', 'connect', { code: 'ENOTFOUND' }), 'No connection to AWS (ENOTFOUND).'],
  [failure('TimeoutError', 'slow'), 'AWS did not answer in time.'],
  [failure('ExpiredTokenException', 'expired'), 'AWS refused the credentials (ExpiredTokenException). Sign in again.'],
  [failure('ThrottlingException', 'Rate exceeded'), 'AWS answered ThrottlingException: Rate exceeded. Repeating'],
  [failure('Error', 'XML parse error', { $fault: undefined }), 'Whatever answered at AWS is not AWS'],
  [new TypeError('x is not a function'), 'The command itself failed (TypeError: x is not a function.)', 4],
])(
  'the error %o is explained in one sentence, with exit code 1 unless the command itself failed',
  (error, sentence, exitCode = 1) => {
    const failure = commandFailure(error, 'AWS');
    expect({ ...failure, sentence: failure.sentence.slice(0, sentence.length) }).toMatchObject({ sentence, exitCode });
  },
);

test('a missing permission is named, but the person is not', () => {
  const message =
    'User: arn:aws:iam::123456789012:user/jane is not authorized to perform: states:StopExecution on resource: arn:aws:…';
  const { sentence: said } = commandFailure(failure('AccessDeniedException', message), 'AWS');
  expect(said).toContain('the credentials lack the permission states:StopExecution (');
  expect(said).not.toContain('jane');
});
