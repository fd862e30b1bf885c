import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { Bundle } from './build.ts';

export interface Bundles {
  /** By function name. */
  bundles: Record<string, Bundle>;
  /** Whether they had to be built. */
  built: boolean;
  /** esbuild's warnings. */
  warnings: string;
}

/** The input of the build thread. */
export interface Request {
  root: string;
  port: MessagePort;
  done: Int32Array;
}

export type Answer = Bundles | { problem: string };

/** Milliseconds; a build takes a few seconds. */
const LONGEST_BUILD = 300_000;

/**
 * Starts to bundle every function of the project at `root` (which ends in `/`). The build runs in a thread, because the CDK needs
 * assets synchronously and esbuild supports plugins only in asynchronous builds.
 * @returns A function that waits for the bundles. It throws an error with esbuild's message.
 */
export function beginBundles(root: string): () => Bundles {
  const { port1, port2 } = new MessageChannel();
  const done = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: Request = { root, port: port2, done };
  const thread = new Worker(new URL('build-thread.ts', import.meta.url), { workerData, transferList: [port2] });
  // A process that does not need the bundles, because of a wrong setting for example, ends without them.
  thread.unref();
  return () => {
    if (Atomics.wait(done, 0, 0, LONGEST_BUILD) === 'timed-out')
      throw new Error('The build of the functions did not end.');
    const answer = receiveMessageOnPort(port1)?.message as Answer;
    if ('problem' in answer) throw new Error(answer.problem);
    process.stderr.write(answer.warnings);
    return answer;
  };
}

/** The bundle of every function of the project at `root`. */
export function bundlesOf(root: string): Bundles {
  return beginBundles(root)();
}
