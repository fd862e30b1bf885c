const AT_ONCE = 10;

/** The most items that DynamoDB reads in one request. */
const MOST_KEYS = 100;

/** The things in arrays of at most `most`. Only one array is in memory. */
export async function* batchesOf<Thing>(
  things: AsyncIterable<Thing> | Iterable<Thing>,
  most = MOST_KEYS,
): AsyncGenerator<Thing[]> {
  let batch: Thing[] = [];
  for await (const thing of things) {
    batch.push(thing);
    if (batch.length < most) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

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
