import '../bin/compile-cache.ts';

import { acceptClosedPipe } from '../commands/closed-pipe.ts';
import { HELP, readOptions } from './options.ts';
import { screen } from './screen.ts';

async function main(): Promise<number> {
  const stopped = new AbortController();
  acceptClosedPipe(() => stopped.abort());
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    screen.print(HELP);
    return 0;
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopped.abort());
  if (process.stdout.isTTY && !options.plain) screen.begin();
  try {
    // The rest takes a second to load, and the screen says so meanwhile.
    const load = () => import('./run-laptop.ts');
    const { runLaptop } = await (screen.moves() ? screen.step('Loading the laptop …', load) : load());
    return await runLaptop(options, stopped.signal);
  } catch (error) {
    if (error !== stopped.signal.reason) throw error;
    return (await import('./run.ts')).stop(options.once);
  } finally {
    screen.end();
  }
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  },
);
