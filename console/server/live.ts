import { pipeline } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import type { FactsMessage } from '../api.ts';
import type { ConsoleContext } from './context.ts';
import { HEADERS } from './headers.ts';

/** Milliseconds between keep-alives. Without them, the page would not notice that the console has ended. */
const SIGN_OF_LIFE = 15_000;

/** The most uncompressed bytes buffered for a slow reader. The table of the largest stage is smaller. */
const MOST_UNREAD = 64 * 1024 * 1024;

export type LiveAnswer = ReturnType<typeof goLive>;

/** Begins an answer with one message per line. It is compressed, because the table of 10,000 orders is megabytes of text; each message is sent at once. */
export function goLive(reply: FastifyReply) {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { ...HEADERS, 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' });
  raw.flushHeaders();
  const text = createGzip({ level: constants.Z_BEST_SPEED, flush: constants.Z_SYNC_FLUSH });
  const life = setInterval(() => text.write('\n'), SIGN_OF_LIFE).unref();
  pipeline(text, raw, () => clearInterval(life));
  return {
    send: (message: unknown) => {
      // The page reconnects and gets the full state again.
      if (text.writableLength > MOST_UNREAD) raw.destroy();
      else text.write(`${JSON.stringify(message)}\n`);
    },
    end: () => text.end(),
    onClose: (listener: () => void) => {
      // The page may have been closed while its first message was read.
      if (raw.closed) listener();
      else raw.once('close', listener);
    },
  };
}

/** Sends facts at first and after each change, or the reason why they cannot be read. */
export async function followFacts<Facts>(
  reply: FastifyReply,
  { describe, lookEvery }: ConsoleContext,
  read: () => Promise<Facts>,
): Promise<void> {
  const answer = goLive(reply);
  let sent = '';
  let isLooking = false;
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    const found = await read().then(
      (facts) => ({ facts }),
      (error: unknown) => ({ failed: describe(error) }),
    );
    isLooking = false;
    const text = JSON.stringify(found);
    if (text === sent) return;
    sent = text;
    answer.send({ ...found, now: new Date().toISOString() } satisfies FactsMessage<Facts>);
  };
  const looking = setInterval(look, lookEvery);
  answer.onClose(() => clearInterval(looking));
  await look();
}
