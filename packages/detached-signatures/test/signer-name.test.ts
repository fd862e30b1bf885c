import { expect, test } from 'vitest';
import { isNamed, type SignerName } from '../signer-name.ts';

const fingerprint = Array(32).fill('AB').join(':');
const signer: SignerName = { name: 'Ivan Petrov', inn: '7707083893', personInn: '500100732259', fingerprint };

test.each([
  ['Ivan Petrov', true],
  ['ivan petrov', false],
  ['7707083893', true],
  ['500100732259', true],
  ['7707083894', false],
  [fingerprint.toLowerCase(), true],
  [fingerprint.replace('AB', 'AC'), false],
])('%j names the signer: %j', (text, expected) => {
  expect(isNamed(signer, [text])).toBe(expected);
  expect(isNamed(signer, ['another', text])).toBe(expected);
});

test('a common name that looks like an INN or a fingerprint is neither', () => {
  for (const name of ['7707083894', fingerprint.replace('AB', 'AC')])
    expect(isNamed({ ...signer, name }, [name])).toBe(false);
});
