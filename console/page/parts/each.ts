import { messages } from '../messages/language.ts';
import { CallFailed } from '../state/call.ts';
import type { Tell } from './sent.tsx';

/** Milliseconds between two beginnings of a worker. All together begin at most ten in a second, as the command line. */
const PACE = 300;
/** Requests of a browser to one server are few. */
const AT_ONCE = 3;

/** Acts on several orders. A refused one stops none of the others, and refusals are grouped by their sentence. After one that is unanswered, no other begins: throws CallFailed. */
export async function actOnEach(acts: ReadonlyMap<string, () => Promise<unknown>>, tell: Tell): Promise<string> {
  const words = messages.value.actions;
  const why = new Map<string, string>();
  let begun = 0;
  let lost: { error: unknown } | undefined;
  // All workers take from the same iterator.
  const waiting = acts.entries();
  const work = async () => {
    for (const [orderRef, act] of waiting) {
      if (lost) return;
      begun += 1;
      tell(words.begun(begun, acts.size));
      const pause = new Promise((resolve) => setTimeout(resolve, acts.size > AT_ONCE ? PACE : 0));
      await act().catch((error: unknown) => {
        if (error instanceof CallFailed && error.status > 0 && acts.size > 1) why.set(orderRef, error.message);
        else lost = { error };
      });
      await pause;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (lost) throw (lost as { error: unknown }).error;
  const groups = Map.groupBy(why, ([orderRef, said]) => said.replaceAll(orderRef, '…'));
  const refused = [...groups].map(([said, group]) => `${group.map(([orderRef]) => orderRef).join(', ')}: ${said}`);
  return [words.done(acts.size - why.size, acts.size), ...refused].join(' ');
}
