import type { World } from './world.ts';

/** Invokes a function, and returns its answer. Throws if it failed. Time passes only while it waits for AWS. */
export async function invoke({ aws }: World, name: string, input: object): Promise<Record<string, unknown>> {
  let done: Record<string, unknown> | null | undefined;
  const url = `${aws.endpoint}/2015-03-31/functions/loan-orders-local-${name}/invocations`;
  const invoked = fetch(url, { method: 'POST', body: JSON.stringify(input) }).then(async (response) => {
    done = JSON.parse((await response.text()) || 'null') as typeof done;
  });
  await aws.runUntil(() => done !== undefined);
  await invoked;
  if (done?.errorMessage !== undefined) throw new Error(`${name} failed: ${done.errorMessage}`);
  return done ?? {};
}

/** Runs one sweep and returns what it did. */
export const runSweep = (world: World) => invoke(world, 'sweep-orders', {});
