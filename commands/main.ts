import { run } from './program.ts';
import { acceptClosedPipe } from './shared/closed-pipe.ts';

// A command that changes something continues even if its output is no longer read.
acceptClosedPipe();

process.exitCode = await run(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});
