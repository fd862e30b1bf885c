import { expect, test } from 'vitest';
import { timelineWords } from '../../../console/page/messages/timeline-ru.ts';
import { WHAT_HAPPENED } from '../../../core/order/what-happened.ts';

test.each(WHAT_HAPPENED)('the page in Russian says "%s" in Russian', (line) => {
  expect(timelineWords(line)).toMatch(/^[А-ЯЁ][^a-z]+$/);
});

test('a line of another release stays as it is', () => {
  expect(timelineWords('Something else happened')).toBe('Something else happened');
  expect(timelineWords('constructor')).toBe('constructor');
});
