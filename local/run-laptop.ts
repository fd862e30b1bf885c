import { runExamples } from './example-run.ts';
import { choosePort } from './free-port.ts';
import { type LaptopOptions, startLaptop, startSimulatedLaptop } from './laptop.ts';
import { runLegacy } from './legacy-run.ts';
import { namedService } from './named-service.ts';
import type { Options } from './options.ts';
import { printEvents } from './print-events.ts';
import { screen } from './screen.ts';
import { runWithService } from './service-run.ts';
import { withConsole } from './with-console.ts';

/** Runs the laptop until it ends or is stopped. Returns the exit code. */
export async function runLaptop(options: Options, stopped: AbortSignal): Promise<number> {
  const { events, legacy, once, service: name, sign } = options;
  const service = name === undefined ? undefined : await namedService(name, options, process.env);
  const awsPort = await choosePort('--port', options.awsPort, 4566);
  const start: LaptopOptions = { awsPort, legacy, step: (name, work) => screen.step(name, work), stopped };
  if (service) {
    const laptop = await startLaptop(start, service);
    if (events) printEvents(laptop, (line) => screen.print(line));
    return withConsole(laptop, () => runWithService(laptop, service, { sign, stopped })).finally(laptop.close);
  }
  const simulatorPort = await choosePort('--simulator-port', options.simulatorPort, 4010);
  const laptop = await startSimulatedLaptop({ ...start, simulatorPort });
  if (events) printEvents(laptop, (line) => screen.print(line));
  const follow = () => (legacy ? runLegacy : runExamples)(laptop, { once, stopped });
  // The bank exchange has no orders to show, and nobody looks at a run that ends by itself.
  return (legacy || once ? follow() : withConsole(laptop, follow)).finally(laptop.close);
}
