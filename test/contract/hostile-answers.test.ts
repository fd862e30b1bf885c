import { once } from 'node:events';
import { createServer } from 'node:http';
import { Worker } from 'node:worker_threads';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { hostileAnswers, textOf } from '../helpers/hostile-answers.ts';
import { listening } from '../helpers/listening.ts';

/** Of the thread that reads. A function has 512 MB. */
const resourceLimits = { maxOldGenerationSizeMb: 112, maxYoungGenerationSizeMb: 16 };

test('hostile answers to reads are all read or refused, each with less than 128 MB', async () => {
  const answers = hostileAnswers();
  const server = createServer((request, response) => {
    const number = Number(/\d+$/.exec(request.url ?? '')?.[0]);
    response.end(textOf(answers[number] as (typeof answers)[number]));
  });
  const url = await listening(server);
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  const workerData = { url, count: answers.length };
  const thread = new Worker(new URL('../helpers/read-answers.ts', import.meta.url), { resourceLimits, workerData });
  onTestFinished(() => void thread.terminate());
  const seen: string[] = [];
  thread.on('message', (outcome: string) => seen.push(outcome));
  // Reading one that costs too much ends the thread, or does not end.
  onTestFailed(() => console.error('The answer after those that ended:', answers[seen.length]));
  await once(thread, 'exit');
  expect(seen).toHaveLength(answers.length);
  const described = seen.map((outcome, number) => ({ outcome, ...answers[number] }));
  expect(described.filter(({ outcome }) => outcome !== 'read' && outcome !== 'UnexpectedResponse')).toEqual([]);
  // Neither half would show that the other one is met.
  expect(new Set(seen).size).toBe(2);
});
