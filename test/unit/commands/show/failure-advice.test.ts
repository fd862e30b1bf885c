import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FAILURE_NAMES, FAILURES, failureAdvice } from '../../../../commands/show/failure-advice.ts';
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

test.each([...Object.keys(FAILURES), 'Lambda.Unknown', 'TypeError', 'constructor', ''])(
  'the advice on "%s" names a section that exists, what happened, and what to do',
  (error) => {
    const { happened, fix, section } = failureAdvice(error, 'my-order');
    expect(anchors).toContain(section.replace('docs/operations.md#', ''));
    for (const text of [happened, fix]) expect(text).toMatch(/^[A-Z].+\.$/);
    expect(fix).not.toContain('<ref>');
  },
);

test('the advice names the order in the command that it asks for', () => {
  expect(failureAdvice('DecisionOverdue', 'my-order').fix).toContain('"loan-orders confirm my-order"');
});
