import { once } from 'node:events';
import { createServer } from 'node:http';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { hostileAnswers, textOf } from '../helpers/hostile-answers.ts';
import { listening } from '../helpers/listening.ts';
import type { ReadAnswer } from '../helpers/read-answers.ts';

const SEED = 19;
const COUNT = 400;
/** Of the thread that reads. A function has 512 MB. */
const resourceLimits = { maxOldGenerationSizeMb: 112, maxYoungGenerationSizeMb: 16 };

test('400 hostile answers to reads are read or refused, each with less than 128 MB and a second', async () => {
  const answers = hostileAnswers(SEED, COUNT);
  const server = createServer((request, response) => {
    const number = Number(/\d+$/.exec(request.url ?? '')?.[0]);
    response.end(textOf(answers[number] as (typeof answers)[number]));
  });
  const url = await listening(server);
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  const workerData = { url, count: COUNT };
  const thread = new Worker(new URL('../helpers/read-answers.ts', import.meta.url), { resourceLimits, workerData });
  const seen: ReadAnswer[] = [];
  thread.on('message', (outcome: ReadAnswer) => seen.push(outcome));
  await once(thread, 'exit').catch((error: Error) => {
    throw new Error(`Reading this answer ended the thread: ${JSON.stringify(answers[seen.length])}`, { cause: error });
  });
  const described = seen.map((outcome, number) => ({ ...outcome, ...answers[number] }));
  expect(described).toHaveLength(COUNT);
  expect(described.filter(({ outcome }) => outcome !== 'read' && outcome !== 'UnexpectedResponse')).toEqual([]);
  expect(described.filter(({ milliseconds }) => milliseconds > 1_000)).toEqual([]);
  // Neither half would show that the other one is met.
  expect(new Set(seen.map(({ outcome }) => outcome)).size).toBe(2);
});
