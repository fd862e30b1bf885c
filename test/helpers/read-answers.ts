import { parentPort, workerData } from 'node:worker_threads';
import { LARGEST_ANSWER } from './hostile-answers.ts';
import { clientAt, fixedToken } from './order-service-client.ts';

/** Reads the orders `0`, `1`, … of the service at `url`, one after the other, and tells of each: `read`, or the name of the error. */
const { url, count } = workerData as { url: string; count: number };
const client = clientAt(url, fixedToken, 60_000, { largestAnswer: LARGEST_ANSWER, mostOffers: 1_000 });
for (let number = 0; number < count; number += 1) {
  const outcome = await client.readOrder(String(number)).then(
    () => 'read',
    (error: Error) => error.name,
  );
  parentPort?.postMessage(outcome);
}
