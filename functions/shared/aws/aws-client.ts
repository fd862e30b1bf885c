/**
 * What every SDK client here starts from: no call to AWS may hang for longer than its function lives. Milliseconds. A
 * request without a file is answered in far less; clients that carry files take {@link fileClientDefaults}. The middleware of a command
 * is made once and kept: to build it anew for each call costs as much as a fifth of the call.
 */
export const clientDefaults = {
  cacheMiddleware: true,
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
};

/** For files: as long as bytes flow, the transfer may take what it takes. Functions have a client for each bucket (`storage.ts`). */
export const fileClientDefaults = {
  ...clientDefaults,
  requestHandler: { connectionTimeout: 2_000, socketTimeout: 30_000 },
};

/** The part of an SDK client that is needed here. */
interface Stacked {
  middlewareStack: { remove(name: string): boolean };
}

/** The same client. For a log that nobody keeps, the SDK would filter every request and every answer: 4 % of a function's time. */
export function withoutLog<Client extends Stacked>(client: Client): Client {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
