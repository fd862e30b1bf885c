import { signal } from '@preact/signals';

/** The time by the console's clock, in milliseconds. It advances every few seconds, so ages grow without a reload. */
export const now = signal(Date.now());

const MOVES = 5_000;

/** How far this browser's clock is behind the console's. Milliseconds. */
let behind = 0;

/** @param date the `Date` of an answer, which has no parts of a second. */
export function setClock(date: string): void {
  const found = Date.parse(date) - Date.now();
  if (Math.abs(found - behind) > 1_000) behind = found;
}

setInterval(() => {
  now.value = Date.now() + behind;
}, MOVES);
