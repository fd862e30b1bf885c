import { EventEmitter, once } from 'node:events';
import { afterAll } from 'vitest';
import { type Console, startConsole } from '../../console/server/console.ts';
import type { World } from './world.ts';

/** A console of a world, and a browser's person who has opened it. */
export interface OpenConsole {
  served: Console;
  /** The addresses that were printed, oldest first. */
  addresses: string[];
  cookie: string;
  get(path: string): Promise<Response>;
  post(path: string, body: unknown): Promise<Response>;
}

/** Serves the console of a world until the file's tests are over. */
export async function openConsole(world: World): Promise<OpenConsole> {
  const addresses: string[] = [];
  const served = await startConsole({
    place: { stage: 'local', local: true, endpoint: world.aws.endpoint },
    port: 0,
    lookEvery: 20,
    onAddress: (address) => addresses.push(address),
  });
  afterAll(() => served.close());
  const opened = await fetch(addresses[0] ?? '', { redirect: 'manual' });
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  const origin = new URL(served.url).origin;
  const get = (path: string) => fetch(new URL(path, served.url), { headers: { cookie } });
  const post = (path: string, body: unknown) =>
    fetch(new URL(path, served.url), {
      method: 'POST',
      headers: { cookie, origin, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return { served, addresses, cookie, get, post };
}

/** The messages of a live answer, as they come. */
export class LiveMessages<Message> {
  readonly all: Message[] = [];
  readonly #events = new EventEmitter();
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(response: Response) {
    this.#reader = (response.body as ReadableStream<Uint8Array>).getReader();
    // An answer may break off when the console is closed: whoever still waits for a message is told.
    this.#read().catch(
      (error: unknown) => this.#events.listenerCount('error') > 0 && this.#events.emit('error', error),
    );
  }

  /** Resolves with the first message that meets the condition, also an earlier one. */
  async first(condition: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.all.find(condition);
      if (found) return found;
      await once(this.#events, 'message');
    }
  }

  async close(): Promise<void> {
    await this.#reader.cancel();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    for (let text = ''; ; ) {
      const { value, done } = await this.#reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) if (part.startsWith('data: ')) this.all.push(JSON.parse(part.slice(6)) as Message);
      this.#events.emit('message');
    }
  }
}
