/** Weights of the digits before each control digit, by the order of the tax service on the structure of the INN. */
const ORGANIZATION = [2, 4, 10, 3, 5, 9, 4, 6, 8];
const PERSON = [
  [7, 2, 4, 10, 3, 5, 9, 4, 6, 8],
  [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8],
];

/** What is wrong with a tax number (INN), in a sentence that does not repeat it; undefined when its control digits are right. */
export function innProblem(inn: string): string | undefined {
  if (!/^(\d{10}|\d{12})$/.test(inn)) return 'It is not a number of 10 or 12 digits.';
  // Its control digits would be right, and no tax office has the number 00.
  if (inn.startsWith('00')) return 'No tax office has the number 00.';
  const weights = inn.length === 10 ? [ORGANIZATION] : PERSON;
  return weights.every((row) => hasControlDigit(inn, row)) ? undefined : 'Its control digits are wrong.';
}

/** 10 digits are an organization's; 12 a person's, entrepreneurs among them. */
export function innKind(inn: string): 'organization' | 'person' {
  return inn.length === 10 ? 'organization' : 'person';
}

function hasControlDigit(inn: string, weights: number[]): boolean {
  const sum = weights.reduce((total, weight, position) => total + weight * Number(inn[position]), 0);
  return (sum % 11) % 10 === Number(inn[weights.length]);
}
