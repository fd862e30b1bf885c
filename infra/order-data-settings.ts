import { z } from 'zod';
import { orderDataCheck } from '../core/package/order-data.ts';
import { textOf } from './text-file.ts';

/** The path of a file with a JSON Schema. Parsed to the schema's text. */
export const orderDataSchema = z.string().transform((path, context) => {
  try {
    const text = textOf(path);
    const schema: unknown = JSON.parse(text);
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) throw new Error('it is no JSON object');
    orderDataCheck(schema);
    return text;
  } catch (error) {
    context.addIssue({ code: 'custom', message: `cannot be used as a JSON Schema: ${(error as Error).message}` });
    return z.NEVER;
  }
});
