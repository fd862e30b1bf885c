import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FAILURES_WITH_ADVICE, failureAdvice } from '../../../../commands/show/failure-advice.ts';
import { errorNames } from '../../../../core/errors.ts';

const page = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8');
const [, failures = ''] = page.split(/^## Failures$/m);
const headings = [...(failures.split(/^## /m)[0] ?? '').matchAll(/^### (.+)$/gm)].map(([, heading = '']) => heading);
/** As GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');

test('every section about a failure has advice, and every advice its section', () => {
  const sections = headings.filter((heading) => !/[*]$|^Any other/.test(heading));
  expect([...FAILURES_WITH_ADVICE].sort()).toEqual(sections.sort());
  expect(FAILURES_WITH_ADVICE).toEqual(expect.arrayContaining([...errorNames]));
});

test.each([
  ...headings.map((heading) => heading.replace('*', 'Unknown').replace('Any other name', 'TypeError')),
  'constructor',
])('the advice on %s names a section that exists, and what to do', (error) => {
  const { mend, section } = failureAdvice(error, 'my-order');
  expect(headings.map(anchorOf)).toContain(section.replace('docs/operations.md#', ''));
  expect(mend).toMatch(/^[A-Z].+\.$/);
  expect(mend).not.toContain('<ref>');
});

test('the advice names the order in the command that mends it', () => {
  expect(failureAdvice('DecisionOverdue', 'my-order').mend).toContain('"loan-orders confirm my-order"');
});
