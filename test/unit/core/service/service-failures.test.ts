import { expect, test } from 'vitest';
import { failureClass } from '../../../../core/service/service-failures.ts';

test.each([
  [503, 'a change', { changes: true }, 'OutcomeUnknown', 'Throttled'],
  [503, 'a read', { changes: false }, 'ServiceUnavailable', 'Throttled'],
  [429, 'a change', { changes: true }, 'Throttled', 'Throttled'],
  [499, 'a change', { changes: true }, 'OutcomeUnknown', 'OutcomeUnknown'],
  [401, 'a change', { changes: true }, 'Unauthorized', 'Unauthorized'],
  [404, 'a change', { changes: true }, 'Rejected', 'Rejected'],
  [408, 'a change', { changes: true }, 'OutcomeUnknown', 'OutcomeUnknown'],
  [500, 'a change', { changes: true }, 'OutcomeUnknown', 'OutcomeUnknown'],
  [302, 'a change', { changes: true }, 'UnexpectedResponse', 'UnexpectedResponse'],
])('the answer %i to %s (%j) is %s, and with Retry-After %s', (status, _what, call, name, nameIfAsked) => {
  const names = [false, true].map((asksToWait) => new (failureClass(status, call, asksToWait))('').name);
  expect(names).toEqual([name, nameIfAsked]);
});
