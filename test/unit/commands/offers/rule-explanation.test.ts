import { expect, test } from 'vitest';
import { explain } from '../../../../commands/offers/rule-explanation.ts';

const CHOICE = { offerId: 'one', code: 'A-12' };
const OBJECT = 'Asked is an object { offerId, code }.';
const TEXT = 'Asked is a text.';

test.each<[name: string, returned: unknown, faults: [path: string, found: string, asked: string][]]>([
  ['choices', [CHOICE], []],
  ['a text', 'one', [['$', 'the text "one"', OBJECT]]],
  ['a number', 12, [['$', 'the number 12', OBJECT]]],
  ['null in a list', [null], [['$[0]', 'null', OBJECT]]],
  ['one object without a code', { offerId: 'one' }, [['$.code', 'nothing', TEXT]]],
  ['a number as a code', [CHOICE, { ...CHOICE, code: 12 }], [['$[1].code', 'the number 12', TEXT]]],
  [
    'lists in a list',
    [[1, 2], ['x']],
    [
      ['$[0]', 'a list of 2', OBJECT],
      ['$[1]', 'a list of 1', OBJECT],
    ],
  ],
  [
    '101 choices',
    Array(101).fill(CHOICE),
    [['$', 'a list of more than 100', 'Asked is a list of at most 100 choices.']],
  ],
])('the explanation of %s names the place of each fault', (_name, returned, faults) => {
  expect(explain({ kind: 'returned', returned })).toMatchObject({
    isList: Array.isArray(returned),
    faults: faults.map(([path, found, asked]) => ({ path, found, asked })),
  });
});

test('a very long text is cut', () => {
  const explanation = explain({ kind: 'returned', returned: 'x'.repeat(900_000) });
  expect(explanation).toMatchObject({ faults: [{ path: '$', found: expect.stringMatching(/^the text "x+… /) }] });
  expect(JSON.stringify(explanation).length).toBeLessThan(10_000);
});
