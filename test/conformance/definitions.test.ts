import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { definitionOf } from './ways.ts';

/** The package has no types. */
type Validator = (definition: object) => { isValid: boolean; errorsText(): string };

const validate = createRequire(import.meta.url)('asl-validator') as Validator;

it('asl-validator finds no fault in the definition', () => {
  expect(validate(JSON.parse(definitionOf('order'))).errorsText()).toBe('');
});
