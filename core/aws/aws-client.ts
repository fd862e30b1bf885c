import { logger } from '../log.ts';
import { SDK_CALL, SDK_TRANSFER } from '../timeouts.ts';

const nothing = () => undefined;
/** Without a logger the SDK writes its warnings to the console as plain text. Its other entries contain requests, so they are dropped. */
const warnings = { debug: nothing, info: nothing, error: nothing, warn: (text: string) => logger.warn(text) };

/** Settings of every SDK client that transfers no files. */
export const clientDefaults = {
  logger: warnings,
  // Building a command's middleware for each call takes as much as a fifth of the call.
  cacheMiddleware: true,
  requestHandler: SDK_CALL,
};

export const fileClientDefaults = { ...clientDefaults, requestHandler: SDK_TRANSFER };

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
