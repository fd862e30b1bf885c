import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { MeterRequest, Usage } from './meter-server.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

/** How long to wait for a line that the laptop prints. Milliseconds. */
const PATIENCE = 900_000;

/** `npm start` in its own process group. The process that npm starts has a meter. */
export class LaptopProcess {
  /** Milliseconds from the start of npm until the first line about an order. */
  firstOrderShown = 0;
  private readonly startedAt = performance.now();
  private readonly directory = mkdtempSync(join(tmpdir(), 'bench-laptop-'));
  private readonly npm: ChildProcess;
  private readonly lines: Interface;
  private output = '';
  private meter: Socket | undefined;

  constructor() {
    process.once('exit', this.interrupt);
    const meter = new URL('meter.ts', import.meta.url).href;
    const options = ['--port', '0', '--simulator-port', '0'];
    this.npm = spawn('npm', ['start', '--silent', `--node-options=--import=${meter}`, '--', ...options], {
      cwd: root,
      detached: true,
      env: { ...process.env, BENCH_METER_SOCKET: this.socketPath },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.npm.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
    });
    this.lines = createInterface({ input: this.npm.stdout as NodeJS.ReadableStream });
    this.lines.on('line', (line) => {
      this.output += `${line}\n`;
      if (this.firstOrderShown === 0 && /^ *\d+\.\d s {2}\S/.test(line)) {
        this.firstOrderShown = performance.now() - this.startedAt;
      }
    });
  }

  private get socketPath(): string {
    return join(this.directory, 'meter');
  }

  /** Resolves with the match when the laptop has printed it. Rejects with the laptop's output if it ends before. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    const signal = AbortSignal.timeout(PATIENCE);
    for (;;) {
      const match = pattern.exec(this.output);
      if (match) return match;
      if (this.npm.exitCode !== null) throw new Error(`npm start ended too early.\n${this.output}`);
      const look = new AbortController();
      const either = { signal: AbortSignal.any([signal, look.signal]) };
      await Promise.race([once(this.lines, 'line', either), once(this.npm, 'exit', either)]).finally(() =>
        look.abort(),
      );
    }
  }

  /** Calls `onLine` with every line that the laptop prints from now on. */
  follow(onLine: (line: string) => void): void {
    this.lines.on('line', onLine);
  }

  /** Never resolves. Rejects with the laptop's output when it ends. */
  async lost(): Promise<never> {
    if (this.npm.exitCode === null) await once(this.npm, 'exit');
    throw new Error(`npm start ended too early.\n${this.output}`);
  }

  usage(): Promise<Usage> {
    return this.ask({ ask: 'usage' }) as Promise<Usage>;
  }

  async ask(request: MeterRequest): Promise<unknown> {
    this.meter ??= await connected(this.socketPath);
    const answer = once(createInterface(this.meter), 'line');
    this.meter.write(`${JSON.stringify(request)}\n`);
    return JSON.parse((await answer)[0] as string);
  }

  private readonly interrupt = () => {
    if (this.npm.pid !== undefined && this.npm.exitCode === null) process.kill(-this.npm.pid, 'SIGINT');
    rmSync(this.directory, { recursive: true, force: true });
  };

  /** Ends the laptop like Ctrl-C. */
  async close(): Promise<void> {
    this.meter?.destroy();
    process.off('exit', this.interrupt);
    const ended = this.npm.exitCode === null ? once(this.npm, 'exit') : undefined;
    this.interrupt();
    await ended;
  }
}

async function connected(path: string): Promise<Socket> {
  const socket = connect(path);
  await once(socket, 'connect');
  return socket;
}
