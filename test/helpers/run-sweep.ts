import type { World } from './world.ts';

/** Runs one sweep and returns what it did. Throws if it failed. Time passes only while it waits for AWS. */
export async function runSweep({ aws }: World): Promise<Record<string, unknown>> {
  let done: Record<string, unknown> | undefined;
  const url = `${aws.endpoint}/2015-03-31/functions/loan-orders-local-sweep-orders/invocations`;
  const invoked = fetch(url, { method: 'POST', body: '{}' }).then(async (response) => {
    done = (await response.json()) as Record<string, unknown>;
  });
  await aws.runUntil(() => done !== undefined);
  await invoked;
  if (done?.errorMessage !== undefined) throw new Error(`The sweep failed: ${done.errorMessage}`);
  return done ?? {};
}
