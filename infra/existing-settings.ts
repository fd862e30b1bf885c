import { z } from 'zod';

const TABLE_NAME = /^[A-Za-z0-9_.-]{3,255}$/;

/** What exists already, which the stack uses and does not create. */
export const existingSchema = z
  .strictObject({
    table: z
      .string()
      .regex(TABLE_NAME, { error: 'must be the name of a table: 3 to 255 of A-Z a-z 0-9 _ . -' })
      .optional()
      .describe(
        'The name of a table of orders that was restored (docs/recovery.md). The stack gives rights on it and leaves its settings alone. The stage calls nobody until `restored` was run. Default: a table that the stack creates.',
      ),
  })
  .prefault({})
  .describe('Resources that exist already.');
