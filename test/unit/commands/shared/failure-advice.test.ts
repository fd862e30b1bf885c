import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { adviceFor, adviceOn, FAILURE_NAMES, FAILURES, namesIn } from '../../../../commands/shared/failure-advice.ts';
import { errorNames } from '../../../../core/errors.ts';
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
