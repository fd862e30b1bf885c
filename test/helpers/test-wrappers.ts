import type { InvokeWrapper, RequestWrapper } from '@business-loan-orders/embedded-aws';
import { afterEach } from 'vitest';

/** What a test does to invocations and requests of its world. */
export interface TestWrappers {
  invoked?: InvokeWrapper | undefined;
  requested?: RequestWrapper | undefined;
}

/** Wrappers that each test of a file sets for itself. They are removed after it. `options` are for `openWorld`. */
export function testWrappers() {
  const wrappers: TestWrappers = {};
  afterEach(() => {
    wrappers.invoked = undefined;
    wrappers.requested = undefined;
  });
  const options = {
    invokeWrapper: ((functionName, event, invoke) =>
      wrappers.invoked ? wrappers.invoked(functionName, event, invoke) : invoke()) as InvokeWrapper,
    requestWrapper: (async (request, serve) => wrappers.requested?.(request, serve)) as RequestWrapper,
  };
  return { wrappers, options };
}
