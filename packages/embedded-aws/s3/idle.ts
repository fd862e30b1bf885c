import type { Readable } from 'node:stream';
import type { Clock, TimerHandle } from '../time/clock.ts';
import { requestTimeout } from './s3-error.ts';

/** How long S3 waits for the next bytes of a body. Milliseconds. */
const IDLE = 20_000;

/**
 * The chunks of a request's body. The request stays open, so that the error can be answered.
 * @throws AwsError (RequestTimeout) if the client sends nothing for too long.
 */
export async function* unlessIdle(body: Readable, clock: Clock): AsyncGenerator<Buffer> {
  const chunks = body.iterator({ destroyOnReturn: false });
  for (;;) {
    let timer: TimerHandle = {};
    const idle = new Promise<never>((_resolve, reject) => {
      timer = clock.setTimeout(() => reject(requestTimeout()), IDLE);
    });
    const next = await Promise.race([chunks.next(), idle]).finally(() => clock.clearTimeout(timer));
    if (next.done) return;
    yield next.value as Buffer;
  }
}
