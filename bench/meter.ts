import { isMainThread } from 'node:worker_threads';

/** What a process has used so far: CPU time of all its threads in milliseconds, memory in bytes. */
export interface Usage {
  cpu: number;
  residentSet: number;
  peakResidentSet: number;
}

/** Loaded before a program (`node --import`): its parent asks by a message what it uses. */
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
