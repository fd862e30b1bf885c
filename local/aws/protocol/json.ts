/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Milliseconds since the epoch as AWS JSON protocols carry time: seconds, with a fraction. */
export function epochSeconds(milliseconds: number): number {
  return milliseconds / 1000;
}
