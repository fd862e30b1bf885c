import type { AwsRequest } from '@business-loan-orders/embedded-aws';
import type { World } from './world.ts';

/** Does something before AWS answers the first request that matches. */
export function beforeFirst(
  { wrappers }: World,
  matches: (request: AwsRequest) => boolean,
  act: () => Promise<unknown>,
): void {
  wrappers.requestWrapper = async (request) => {
    if (!matches(request)) return undefined;
    wrappers.requestWrapper = undefined;
    await act();
    return undefined;
  };
}

/** Holds the first request that matches. Returns when it is held, and what lets it go on. */
export function holdFirst(world: World, matches: (request: AwsRequest) => boolean) {
  const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  beforeFirst(world, matches, () => {
    held.resolve();
    return go.promise;
  });
  return { held: held.promise, go: go.resolve };
}
