/** Weights of the digits before each check digit of the INN, defined by the tax service. */
const ORGANIZATION = [2, 4, 10, 3, 5, 9, 4, 6, 8];
const PERSON = [
  [7, 2, 4, 10, 3, 5, 9, 4, 6, 8],
  [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8],
];

/** Describes what is wrong with a tax number (INN), without the number itself. Returns undefined if it is valid. */
export function innProblem(inn: string): string | undefined {
  if (!/^(\d{10}|\d{12})$/.test(inn)) return 'It is not a number of 10 or 12 digits.';
  // The check digit of 0000000000 is correct, but there is no tax office 00.
  if (inn.startsWith('00')) return 'No tax office has the number 00.';
  // An organization's number has 10 digits, a person's 12.
  const weights = inn.length === 10 ? [ORGANIZATION] : PERSON;
  return weights.every((row) => hasControlDigit(inn, row)) ? undefined : 'Its control digits are wrong.';
}

function hasControlDigit(inn: string, weights: number[]): boolean {
  const sum = weights.reduce((total, weight, position) => total + weight * Number(inn[position]), 0);
  return (sum % 11) % 10 === Number(inn[weights.length]);
}
