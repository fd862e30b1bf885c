import { runExamples } from './example-run.ts';
import { choosePort } from './free-port.ts';
import { type Laptop, type LaptopOptions, startLaptop, startSimulatedLaptop } from './laptop.ts';
import { namedService } from './named-service.ts';
import type { Options } from './options.ts';
import { printEvents } from './print-events.ts';
import { screen } from './screen.ts';
import { runWithService } from './service-run.ts';

/** Runs the laptop until it ends or is stopped. Returns the exit code. */
export async function runLaptop(options: Options, stopped: AbortSignal): Promise<number> {
  const { events, once, service: name, sign } = options;
  const service = name === undefined ? undefined : await namedService(name, options, process.env);
  const awsPort = await choosePort('--port', options.awsPort, 4566);
  const start: LaptopOptions = { awsPort, step: (name, work) => screen.step(name, work), stopped };
  if (service) {
    const laptop = await startLaptop(start, service);
    if (events) printEvents(laptop, (line) => screen.print(line));
    const run = () => runWithService(laptop, service, { sign, stopped });
    return followWithConsole(laptop, run).finally(laptop.close);
  }
  const simulatorPort = await choosePort('--simulator-port', options.simulatorPort, 4010);
  const laptop = await startSimulatedLaptop({ ...start, simulatorPort });
  if (events) printEvents(laptop, (line) => screen.print(line));
  const follow = () => runExamples(laptop, { once, stopped });
  // Nobody looks at a run that ends by itself.
  return (once ? follow() : followWithConsole(laptop, follow)).finally(laptop.close);
}

/** Loads the console only where it is served: it takes 15 MB and a quarter of a second. */
async function followWithConsole(laptop: Laptop, follow: () => Promise<number>): Promise<number> {
  const { withConsole } = await import('./with-console.ts');
  return withConsole(laptop, follow);
}
