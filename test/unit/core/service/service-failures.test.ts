import { expect, test } from 'vitest';
import { failureClass } from '../../../../core/service/service-failures.ts';

test.each([
  [true, true, 'ServiceUnavailable'],
  [true, false, 'OutcomeUnknown'],
  [false, true, 'ServiceUnavailable'],
  [false, false, 'ServiceUnavailable'],
])(
  'a 503 to a call (it changes something: %s; 503 proves that nothing was done: %s) is %s',
  (changes, proves, name) => {
    const Failure = failureClass(503, { changes, unavailableProvesNothingDone: proves });
    expect(new Failure('').name).toBe(name);
  },
);

test('a 429 proves that nothing was done, whatever the stage says about 503', () => {
  const Failure = failureClass(429, { changes: true, unavailableProvesNothingDone: false });
  expect(new Failure('').name).toBe('Throttled');
});

test.each([
  [true, true, 'Throttled'],
  [true, false, 'OutcomeUnknown'],
  [false, false, 'Throttled'],
])(
  'a 503 with Retry-After to a call (it changes something: %s; 503 proves that nothing was done: %s) is %s',
  (changes, proves, name) => {
    const Failure = failureClass(503, { changes, unavailableProvesNothingDone: proves }, true);
    expect(new Failure('').name).toBe(name);
  },
);

test('Retry-After makes no other status Throttled', () => {
  const named = [401, 404, 408, 500, 302].map((status) => new (failureClass(status, { changes: true }, true))('').name);
  expect(named).toEqual(['Unauthorized', 'Rejected', 'OutcomeUnknown', 'OutcomeUnknown', 'UnexpectedResponse']);
});
