import { randomInt, randomUUID } from 'node:crypto';
import type { SimulatorSettings } from './settings.ts';

/** A double cannot represent a number of this length exactly. */
const DIGITS = 20;

/** A new identifier: a UUID, or a number of 20 digits. */
export function newIdentifier({ identifiers }: Pick<SimulatorSettings, 'identifiers'>): string {
  if (identifiers === 'texts') return randomUUID();
  const digits = Array.from({ length: DIGITS - 1 }, () => randomInt(10)).join('');
  return `${randomInt(1, 10)}${digits}`;
}
