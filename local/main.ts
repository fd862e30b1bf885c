import '../bin/compile-cache.ts';

import { runExamples } from './example-run.ts';
import { choosePort } from './free-port.ts';
import { type LaptopOptions, startLaptop, startSimulatedLaptop } from './laptop.ts';
import { runLegacy } from './legacy-run.ts';
import { namedService } from './named-service.ts';
import { HELP, type Options, readOptions } from './options.ts';
import { print, stop } from './run.ts';
import { runWithService } from './service-run.ts';
import { withConsole } from './with-console.ts';

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    print(HELP);
    return 0;
  }
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopped.abort());
  try {
    return await run(options, stopped.signal);
  } catch (error) {
    if (error !== stopped.signal.reason) throw error;
    return stop(options.once);
  }
}

async function run(options: Options, stopped: AbortSignal): Promise<number> {
  const { legacy, once, service: name, sign } = options;
  const service = name === undefined ? undefined : await namedService(name, options, process.env);
  const awsPort = await choosePort('--port', options.awsPort, 4566);
  const start: LaptopOptions = { awsPort, legacy, print, stopped };
  if (service) {
    const laptop = await startLaptop(start, service);
    return withConsole(laptop, () => runWithService(laptop, service, { sign, stopped })).finally(laptop.close);
  }
  const simulatorPort = await choosePort('--simulator-port', options.simulatorPort, 4010);
  const laptop = await startSimulatedLaptop({ ...start, simulatorPort });
  const follow = () => (legacy ? runLegacy : runExamples)(laptop, { once, stopped });
  // The bank exchange has no orders to show, and nobody looks at a run that ends by itself.
  return (legacy || once ? follow() : withConsole(laptop, follow)).finally(laptop.close);
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
