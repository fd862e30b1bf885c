/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Converts milliseconds since the epoch to the time format of AWS JSON protocols: seconds with a fraction. */
export function epochSeconds(milliseconds: number): number {
  return milliseconds / 1000;
}
