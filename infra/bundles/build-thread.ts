import { workerData } from 'node:worker_threads';
import type { Answer, Request } from './bundles.ts';

const { root, port, done } = workerData as Request;

/** Returns an error as an answer: the waiting thread is blocked and would not see this thread fail. */
async function answer(): Promise<Answer> {
  try {
    const { makeBundles } = await import('./make-bundles.ts');
    return await makeBundles(root);
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

port.postMessage(await answer());
Atomics.store(done, 0, 1);
Atomics.notify(done, 0);
