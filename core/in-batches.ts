const AT_ONCE = 10;

/**
 * Does `work` for each, ten at a time. If one fails, waits for the rest of its batch and throws the error. Otherwise the rest
 * would overlap with the next attempt.
 */
export async function inBatches<Thing>(
  things: readonly Thing[],
  work: (thing: Thing) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < things.length; at += AT_ONCE) {
    const ended = await Promise.allSettled(things.slice(at, at + AT_ONCE).map(work));
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
  }
}
