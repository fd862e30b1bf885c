import { signal } from '@preact/signals';

/** How far this browser's clock is behind the console's. Milliseconds. */
let behind = 0;

/** The time by the console's clock, in milliseconds. It moves every few seconds, so that ages grow without a reload. */
export const now = signal(Date.now());

const EVERY = 5_000;

export function setClock(iso: string): void {
  behind = Date.parse(iso) - Date.now();
  now.value = Date.now() + behind;
}

setInterval(() => {
  now.value = Date.now() + behind;
}, EVERY);
