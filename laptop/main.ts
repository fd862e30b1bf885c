import '../bin/compile-cache.ts';

import { acceptClosedPipe } from '../commands/shared/closed-pipe.ts';
import { HELP, type LaptopProgram, readOptions } from './options.ts';
import { screen } from './screen.ts';

async function main({ args, help, load }: LaptopProgram): Promise<number> {
  const stopped = new AbortController();
  acceptClosedPipe(() => stopped.abort());
  const options = readOptions(args);
  if (options.help) {
    screen.print(help);
    return 0;
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopped.abort());
  if (process.stdout.isTTY && !options.plain) screen.begin();
  try {
    // The rest takes a second to load. The screen shows that meanwhile.
    const { runLaptop } = await (screen.moves() ? screen.step('Loading the laptop …', load) : load());
    return await runLaptop(options, stopped.signal);
  } catch (error) {
    if (error !== stopped.signal.reason) throw error;
    return (await import('./run.ts')).stop(options.once);
  } finally {
    screen.end();
  }
}

let program: LaptopProgram = { args: process.argv.slice(2), help: HELP, load: () => import('./run-laptop.ts') };
if (program.args.includes('--legacy')) program = (await import('../bank-exchange/laptop/program.ts')).exchange(program); // bank-exchange

main(program).then(
  (code) => {
    process.exitCode = code;
  },
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  },
);
