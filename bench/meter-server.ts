import { writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** What a process has used so far: CPU time in milliseconds, memory in bytes. */
export interface Usage {
  /** All threads. */
  cpu: number;
  mainThreadCpu: number;
  residentSet: number;
  /** The largest sample since the last request. Between two samples it may have been a little more. */
  peakResidentSet: number;
}

export type MeterRequest = { ask: 'usage' } | { ask: 'start profile' } | { ask: 'stop profile'; file: string };

/** Milliseconds. */
const LOOK_INTERVAL = 50;
const PROFILE_INTERVAL_MICROSECONDS = 1_000;

/** Answers {@link MeterRequest}s on a socket. Requests and answers are lines of JSON. Does not keep the process alive. */
export function serveMeter(path: string): void {
  const meter = new Meter();
  const server = createServer((socket) => void serve(meter, socket));
  server.listen(path);
  server.unref();
}

async function serve(meter: Meter, socket: Socket): Promise<void> {
  socket.unref();
  socket.on('error', () => socket.destroy());
  for await (const line of createInterface(socket)) {
    const answer = await meter.answer(JSON.parse(line) as MeterRequest);
    socket.write(`${JSON.stringify(answer)}\n`);
  }
}

class Meter {
  private peak = 0;
  private readonly session = new Session();

  constructor() {
    setInterval(() => this.look(), LOOK_INTERVAL).unref();
  }

  async answer(request: MeterRequest): Promise<Usage | Record<string, never>> {
    if (request.ask === 'usage') return this.usage();
    if (request.ask === 'start profile') await this.startProfile();
    else await this.stopProfile(request.file);
    return {};
  }

  private look(): number {
    const residentSet = process.memoryUsage.rss();
    this.peak = Math.max(this.peak, residentSet);
    return residentSet;
  }

  private usage(): Usage {
    const residentSet = this.look();
    const usage = {
      cpu: milliseconds(process.cpuUsage()),
      mainThreadCpu: milliseconds(process.threadCpuUsage()),
      residentSet,
      peakResidentSet: this.peak,
    };
    this.peak = residentSet;
    return usage;
  }

  private async startProfile(): Promise<void> {
    this.session.connect();
    await this.session.post('Profiler.enable');
    await this.session.post('Profiler.setSamplingInterval', { interval: PROFILE_INTERVAL_MICROSECONDS });
    await this.session.post('Profiler.start');
  }

  private async stopProfile(file: string): Promise<void> {
    const { profile } = await this.session.post('Profiler.stop');
    this.session.disconnect();
    await writeFile(file, JSON.stringify(profile));
  }
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}
