import type { Dice } from '../../../test/simulation/plan/dice.ts';
import { innProblem } from '../../core/inn.ts';

/** A random tax number of an organization with a valid control digit. */
export function taxNumber(dice: Dice): string {
  const digits = String(dice.between(100_000_000, 999_999_999));
  const numbers = Array.from({ length: 10 }, (_number, control) => `${digits}${control}`);
  return numbers.find((number) => innProblem(number) === undefined) ?? taxNumber(dice);
}
