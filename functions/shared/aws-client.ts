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
