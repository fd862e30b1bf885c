import { parentPort, workerData } from 'node:worker_threads';
import { LARGEST_ANSWER } from './hostile-answers.ts';
import { clientAt, fixedToken } from './order-service-client.ts';

/** What came of reading an answer. */
export interface ReadAnswer {
  /** `read`, or the name of the error. */
  outcome: string;
  /** CPU time of the thread. */
  milliseconds: number;
}

/** Reads the orders `0`, `1`, … of the service at `url`, one after the other, and tells what came of each. */
const { url, count } = workerData as { url: string; count: number };
const client = clientAt(url, fixedToken, 60_000, { largestAnswer: LARGEST_ANSWER, mostOffers: 1_000 });
for (let number = 0; number < count; number += 1) {
  const before = process.threadCpuUsage();
  const outcome = await client.readOrder(String(number)).then(
    () => 'read',
    (error: Error) => error.name,
  );
  const { user, system } = process.threadCpuUsage(before);
  parentPort?.postMessage({ outcome, milliseconds: (user + system) / 1000 } satisfies ReadAnswer);
}
