import { isMainThread } from 'node:worker_threads';
import { acceptClosedPipe } from './shared/closed-pipe.ts';

async function main(): Promise<void> {
  // A command that changes something continues even if its output is no longer read.
  acceptClosedPipe();
  const { run } = await import('./program.ts');
  process.exitCode = await run(process.argv.slice(2), {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  });
}

// Built as one file, it is also the thread that explains rules.
await (isMainThread ? main() : import('./rule/explainer-thread.ts'));
