import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { goLive, type LiveAnswer } from '../../../console/server/live.ts';

const server = Fastify({ forceCloseConnections: true });
afterAll(() => server.close());
let began: (answer: LiveAnswer) => void = () => undefined;
server.get('/', (_request, reply) => began(goLive(reply)));
await server.listen({ host: '127.0.0.1', port: 0 });

async function open(): Promise<{ answer: LiveAnswer; client: IncomingMessage }> {
  const answer = new Promise<LiveAnswer>((resolve) => {
    began = resolve;
  });
  const { port } = server.server.address() as AddressInfo;
  const sent = request({ host: '127.0.0.1', port }).end();
  const [client] = (await once(sent, 'response')) as [IncomingMessage];
  client.on('error', () => undefined);
  return { answer: await answer, client };
}

const closed = (answer: LiveAnswer) => new Promise<true>((resolve) => answer.onClose(() => resolve(true)));

test('whoever asks after the page was closed is told so, too', async () => {
  const { answer, client } = await open();
  client.destroy();
  await closed(answer);
  expect(await closed(answer)).toBe(true);
});

test('an answer that nobody reads is ended before it fills the memory', async () => {
  const { answer } = await open();
  const ended = closed(answer);
  const text = 'x'.repeat(8 * 1024 * 1024);
  for (let count = 0; count < 10; count += 1) answer.send(text);
  expect(await ended).toBe(true);
});
