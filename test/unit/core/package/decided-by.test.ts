import { expect, test } from 'vitest';
import { parseDecision } from '../../../../core/package/decision-schema.ts';

const UNSEEN = [' \u00a0', '\u200d', 'a\nb', '\u001b[2Ja', 'a\u202eb', 'a\u200bb', 'a\ud800', '\u3164', 'a\u034fb'];
const unseen = 'It is blank, or has characters that cannot be seen or turn the direction of the text.';

test.each<[unknown, string]>([
  ['', 'It is empty.'],
  ...UNSEEN.map((name): [string, string] => [name, unseen]),
  ['a'.repeat(257), 'It has too many characters: the most is 256.'],
  [7, 'It is not a string in quotes.'],
  [null, 'It is not a string in quotes.'],
])('a decision by %j is rejected', (decidedBy, problem) => {
  const parsed = parseDecision(Buffer.from(JSON.stringify({ choices: [], decidedBy })));
  expect(parsed).toMatchObject({ problems: [{ path: '$.decidedBy', problem }] });
});

test.each([
  ['{"choices":[{"offerId":"a","code":"b"}],"choices":[]}', '$.choices'],
  ['{"choices":[{"offerId":"a","code":"b","\\u0063ode":"c"}]}', '$.choices[0].code'],
  ['{"choices":[{"offerId":"code","code":"code"},{"offerId":"b","code":"c"}]}', undefined],
])('a decision that has a property twice is rejected: %s', (text, path) => {
  const twice = { problems: [{ path, problem: 'The property occurs twice.', fix: 'Name each property once.' }] };
  const expected = path === undefined ? { choices: expect.any(Array) } : twice;
  expect(parseDecision(Buffer.from(text))).toMatchObject(expected);
});
