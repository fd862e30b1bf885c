import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { Bundle } from './build.ts';

export interface Bundles {
  /** By function. */
  bundles: Record<string, Bundle>;
  /** Whether they had to be built. */
  built: boolean;
  /** What esbuild has to say about them, in its own words. */
  warnings: string;
}

/** What the thread that builds is given. */
export interface Request {
  root: string;
  constants: Record<string, string>;
  port: MessagePort;
  done: Int32Array;
}

export type Answer = Bundles | { problem: string };

/** Milliseconds; a build takes a few seconds. */
const LONGEST_BUILD = 300_000;

/**
 * Begins to bundle every function of the project at `root` (with its `/` at the end), beside whatever the caller does meanwhile, in
 * a thread: the CDK asks for an asset and waits for it, and esbuild takes plugins only where it need not be waited for.
 * @returns A function that waits for the bundles. It throws with esbuild's own words.
 */
export function beginBundles(root: string, constants: Record<string, string>): () => Bundles {
  const { port1, port2 } = new MessageChannel();
  const done = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: Request = { root, constants, port: port2, done };
  const thread = new Worker(new URL('build-thread.ts', import.meta.url), { workerData, transferList: [port2] });
  // Whoever ends without the bundles, because of a wrong setting for instance, does not wait for them.
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
export function bundlesOf(root: string, constants: Record<string, string>): Bundles {
  return beginBundles(root, constants)();
}
