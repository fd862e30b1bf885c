import { expect, test } from 'vitest';
import { whyNoRehearsal } from '../../../../commands/rehearse/remove.ts';

test('a stage that keeps data, or has no simulator beside it, is no rehearsal and is not removed', () => {
  expect(whyNoRehearsal(true, true)).toBe('its stage keeps data');
  expect(whyNoRehearsal(false, false)).toBe('it has no simulator beside it');
  expect(whyNoRehearsal(true, false)).toBeUndefined();
});
