import * as z from 'zod/mini';
import type { OwnCode } from '../messages/english.ts';

/** A member of a file that people write, with its description for documents and editors. */
export const member = <Schema extends z.ZodMiniType>(meaning: string, schema: Schema): Schema =>
  schema.check(z.describe(meaning));

/** Editors find the JSON Schema by it. Nothing else reads it. */
export const editorSchema = member('The JSON Schema that an editor checks the file by.', z.optional(z.string()));

/** The code of a problem as zod's `error`, so it is defined beside the member. */
export const code = (...own: OwnCode) => JSON.stringify(own);
