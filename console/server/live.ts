import { pipeline } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import type { FactsMessage } from '../api.ts';
import type { Desk } from './desk.ts';
import { HEADERS } from './headers.ts';

/** Milliseconds between signs of life. Without them, the browser would not notice that the console has ended. */
const SIGN_OF_LIFE = 15_000;

/** Bytes that may wait for a slow reader, before they are compressed. The table of the largest stage is smaller. */
const MOST_UNREAD = 64 * 1024 * 1024;

/** A stream of server-sent events. */
export interface LiveAnswer {
  send(message: unknown): void;
  onClose(listener: () => void): void;
}

/** Begins a stream. It is compressed, because the table of 10,000 orders is megabytes of text; each message is sent at once. */
export function goLive(reply: FastifyReply): LiveAnswer {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
  raw.flushHeaders();
  const text = createGzip({ level: constants.Z_BEST_SPEED, flush: constants.Z_SYNC_FLUSH });
  const life = setInterval(() => text.write(': still here\n\n'), SIGN_OF_LIFE).unref();
  pipeline(text, raw, () => clearInterval(life));
  return {
    send: (message) => {
      // The browser connects again, and gets everything anew.
      if (text.writableLength > MOST_UNREAD) raw.destroy();
      else text.write(`data: ${JSON.stringify(message)}\n\n`);
    },
    onClose: (listener) => {
      // The page may have been closed while its first message was read.
      if (raw.closed) listener();
      else raw.once('close', listener);
    },
  };
}

/** Sends facts, and sends them again whenever they have changed, or why they cannot be read. */
export async function followFacts<Facts>(
  reply: FastifyReply,
  { describe, lookEvery }: Desk,
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
