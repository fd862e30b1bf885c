/**
 * What every SDK client here starts from: no call to AWS may hang for longer than its function lives. Milliseconds. A
 * request without a file is answered in far less; clients that carry files take {@link fileClientDefaults}.
 */
export const clientDefaults = {
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
};

/** For files: as long as bytes flow, the transfer may take what it takes. */
export const fileClientDefaults = { requestHandler: { connectionTimeout: 2_000, socketTimeout: 30_000 } };
