import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { answering } from '../helpers/listening.ts';
import { LARGEST_ANSWER } from '../helpers/read-answers.ts';

/** Of the thread that reads. A function has 512 MB. */
const resourceLimits = { maxOldGenerationSizeMb: 112, maxYoungGenerationSizeMb: 16 };
/** Twice as many values are still read, so nothing costs more. */
const HALF_OF_THE_LIMIT = 49_000;

function listOf(element: (index: number) => string, most = HALF_OF_THE_LIMIT): string {
  const elements: string[] = [];
  for (let left = LARGEST_ANSWER - 200; left > 0 && elements.length < most; left -= (elements.at(-1)?.length ?? 0) + 1)
    elements.push(element(elements.length));
  return elements.slice(0, -1).join(',');
}

const ownName = (index: number) => `{"k${index}":0}`;
const fileNumber = (index: number) => `{"fileId":${index}}`;
const longId = (index: number) => `{"offerId":"${'x'.repeat(880)}${index}","fileId":"${'y'.repeat(880)}${index}"}`;
const options = (list: string) => `{"status":"IN_WORK","offers":[{"offerId":"o","creditOptions":[${list}]}]}`;
const documents = (list: string) => `{"status":"WAITING_FOR_SIGNATURE","documents":[${list}]}`;
const answers = [
  options(listOf(fileNumber)),
  options(listOf(ownName)),
  documents(listOf(fileNumber)),
  documents(listOf(longId)),
  options(listOf(ownName, LARGEST_ANSWER)),
  documents(listOf(fileNumber, LARGEST_ANSWER)),
];

test('the answers to reads that cost most are all read or refused, each with less than 128 MB', async () => {
  const url = await answering(({ url }, response) => {
    response.end(answers[Number(/\d+$/.exec(url ?? '')?.[0])]);
  }, onTestFinished);
  const workerData = { url, count: answers.length };
  const thread = new Worker(new URL('../helpers/read-answers.ts', import.meta.url), { resourceLimits, workerData });
  onTestFinished(() => void thread.terminate());
  const seen: string[] = [];
  thread.on('message', (outcome: string) => seen.push(outcome));
  // Reading one that costs too much ends the thread, or does not end.
  onTestFailed(() => console.error('The answer after those that ended:', answers[seen.length]?.slice(0, 200)));
  await once(thread, 'exit');
  expect(seen).toEqual(['read', 'read', 'read', 'read', 'UnexpectedResponse', 'UnexpectedResponse']);
});
