import { randomInt, randomUUID } from 'node:crypto';
import type { SimulatorSettings } from './settings.ts';

type Identifiers = Pick<SimulatorSettings, 'identifiers'>;

const exact = JSON as unknown as {
  rawJSON(text: string): unknown;
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
};

/** A double cannot represent a number of this length exactly. */
const DIGITS = 20;

/** A new identifier: a UUID, or a number of 20 digits. Inside the simulator, identifiers are strings. */
export function newIdentifier({ identifiers }: Identifiers): string {
  if (identifiers === 'texts') return randomUUID();
  const digits = Array.from({ length: DIGITS - 1 }, () => randomInt(10)).join('');
  return `${randomInt(1, 10)}${digits}`;
}

/** An identifier for an answer: a string, or a JSON number with all its digits if the settings say so. */
export function wireIdentifier(text: string, { identifiers }: Identifiers): unknown {
  return identifiers === 'numbers' && /^[1-9]\d*$/.test(text) ? exact.rawJSON(text) : text;
}

/** Parses a JSON object. Each number is an object whose `rawJSON` is its source text. */
export function parseExactly(text: string): Record<string, unknown> {
  return exact.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? exact.rawJSON(source) : value,
  ) as Record<string, unknown>;
}
