import '../bin/compile-cache.ts';

import { acceptClosedPipe } from '../commands/shared/closed-pipe.ts';
import { HELP, type LaptopProgram, readOptions } from './options.ts';

async function main({ args, help, load }: LaptopProgram): Promise<number> {
  const stopped = new AbortController();
  acceptClosedPipe(() => stopped.abort());
  const options = readOptions(args);
  if (options.help) {
    process.stdout.write(`${help}\n`);
    return 0;
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopped.abort());
  try {
    const { runLaptop } = await load();
    return await runLaptop(options, stopped.signal);
  } catch (error) {
    if (error !== stopped.signal.reason) throw error;
    return (await import('./run.ts')).stop(options.once);
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
