import { parentPort, workerData } from 'node:worker_threads';
import { clientAt, fixedToken } from './order-service-client.ts';

/** The longest answer that a stage reads by default. Bytes. */
export const LARGEST_ANSWER = 8 * 1024 * 1024;

/** Reads the orders `0`, `1`, … of the service at `url`, one after the other, and tells of each: `read`, or the name of the error. */
const { url, count } = (workerData ?? { count: 0 }) as { url: string; count: number };
const client = clientAt(url, fixedToken, 60_000);
for (let number = 0; number < count; number += 1) {
  const outcome = await client.readOrder(String(number)).then(
    () => 'read',
    (error: Error) => error.name,
  );
  parentPort?.postMessage(outcome);
}
