import { describe, expect, test } from 'vitest';
import { stateOf } from '../../../../core/people/known-decision.ts';

const choice = { offerId: 'offer-1', code: 'FIRST-12' };

describe('the state of a choice in choices.json', () => {
  test.each([
    ['not-begun', 'OFFERS_APPROVED', 'chosen'],
    ['not-begun', undefined, 'chosen'],
    ['none', 'OFFERS_APPROVED', 'not confirmed'],
    ['not-begun', 'CLOSED', 'not confirmed: the order was closed'],
    ['none', 'CLOSED', 'not confirmed: the order was closed'],
    ['not-begun', 'VALIDATION_FAILED', 'not confirmed: the validation failed'],
    ['done', 'CLOSED', 'confirmed'],
    ['open', 'CLOSED', 'outcome unknown'],
  ] as const)('with a confirm that is %s, in an order that is %s: %s', (confirm, status, state) => {
    expect(stateOf({ choice, confirm }, status)).toBe(state);
  });

  test('is withdrawn if a later decision left the choice out, whatever the order is', () => {
    const withdrawn = { ...choice, withdrawn: true as const };
    expect(stateOf({ choice: withdrawn, confirm: 'not-begun' }, 'CLOSED')).toBe('withdrawn');
    expect(stateOf({ choice: withdrawn, confirm: 'done' }, 'CLOSED')).toBe('confirmed');
  });
});
