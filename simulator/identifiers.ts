import { randomInt, randomUUID } from 'node:crypto';
import type { SimulatorSettings } from './settings.ts';

/** A new identifier: a UUID, or 20 digits, which no double holds. */
export function newIdentifier({ identifiers }: Pick<SimulatorSettings, 'identifiers'>): string {
  if (identifiers === 'texts') return randomUUID();
  const digits = Array.from({ length: 19 }, () => randomInt(10)).join('');
  return `${randomInt(1, 10)}${digits}`;
}
