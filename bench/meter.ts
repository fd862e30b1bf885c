import { isMainThread } from 'node:worker_threads';

/** Resources that a process has used so far: CPU time of all threads in milliseconds, memory in bytes. */
export interface Usage {
  cpu: number;
  residentSet: number;
  peakResidentSet: number;
}

/** Loaded before a program (`node --import`). Answers any message of the parent process with the usage. */
if (isMainThread && process.channel) {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    const { maxRSS } = process.resourceUsage();
    const usage: Usage = {
      cpu: (user + system) / 1000,
      residentSet: process.memoryUsage.rss(),
      peakResidentSet: maxRSS * 1024,
    };
    process.send?.(usage);
  });
  process.channel.unref();
}
