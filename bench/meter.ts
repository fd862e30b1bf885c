import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before a program (`node --import`), so that another process can ask over a local socket what the program uses. The
 * program's threads and child processes do not load it.
 */
if (isMainThread && process.env.BENCH_METER_SOCKET !== undefined) {
  const path = process.env.BENCH_METER_SOCKET;
  delete process.env.BENCH_METER_SOCKET;
  delete process.env.NODE_OPTIONS;
  const { serveMeter } = await import('./meter-server.ts');
  serveMeter(path);
}
