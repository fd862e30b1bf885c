import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before a program (`node --import`) that another process measures: answers over a local socket what the program uses. It does
 * nothing until it is asked, and neither the program's threads nor its child processes load it.
 */
if (isMainThread && process.env.BENCH_METER_SOCKET !== undefined) {
  const path = process.env.BENCH_METER_SOCKET;
  delete process.env.BENCH_METER_SOCKET;
  delete process.env.NODE_OPTIONS;
  const { serveMeter } = await import('./meter-server.ts');
  serveMeter(path);
}
