import { signal } from '@preact/signals';
import type { StageFacts } from '../../api.ts';
import { call } from './call.ts';

/** What the console is connected to. */
export const stage = signal<StageFacts | undefined>(undefined);

const AGAIN = 30_000;

/** Asks now and then, because a pause may begin and end. */
export function loadStage(): void {
  call<StageFacts>('/api/stage')
    .then((facts) => {
      stage.value = facts;
    })
    // The orders' stream says what is wrong.
    .catch(() => undefined)
    .finally(() => setTimeout(loadStage, AGAIN));
}
