import { logger } from '../log.ts';

const nothing = () => undefined;
/** Without a logger the SDK writes its warnings to the console as plain text. Its other entries hold requests, so they are not kept. */
const warnings = { debug: nothing, info: nothing, error: nothing, warn: (text: string) => logger.warn(text) };

/** The settings of every SDK client that carries no files. Times are milliseconds. */
export const clientDefaults = {
  logger: warnings,
  // Building a command's middleware for each call takes as much as a fifth of the call.
  cacheMiddleware: true,
  // No call may take longer than the function may run.
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
};

/** The settings of clients that carry files: a transfer may take any time as long as bytes flow. */
export const fileClientDefaults = {
  ...clientDefaults,
  requestHandler: { connectionTimeout: 2_000, socketTimeout: 30_000 },
};

/**
 * Turns off the SDK's own log and returns the client. The SDK prepares a log entry for every call even if there is no
 * logger, which takes 4 % of a function's time.
 */
export function withoutLog<Client extends { middlewareStack: { remove(name: string): boolean } }>(
  client: Client,
): Client {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
