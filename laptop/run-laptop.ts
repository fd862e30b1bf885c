import { isOutputPublic } from '../commands/shared/public-output.ts';
import type { Stage } from '../infra/stages.ts';
import { runExamples } from './example-run.ts';
import { type Laptop, type LaptopOptions, startLaptop, startSimulatedLaptop } from './laptop.ts';
import { laptopStage } from './laptop-stage.ts';
import { namedService, type Service } from './named-service.ts';
import type { Options } from './options.ts';
import { portOfAws, portOfSimulator } from './ports.ts';
import { followOrders, ownPackage, print, printEndpoints, stop, stopwatch } from './run.ts';

/** The person's own key, because the service decides whose signatures it accepts. */
const OWN_FILES = { key: 'key.pem', cert: 'certificate.pem' };

/** Runs the laptop until it ends or is stopped. Returns the exit code. */
export async function runLaptop(options: Options, stopped: AbortSignal): Promise<number> {
  const { events, once = false, service: name, sign = false, signer = true } = options;
  const stage = laptopStage(options.stage);
  const service = name === undefined ? undefined : await namedService(name, options, process.env);
  const awsPort = () => portOfAws(options.port);
  // Fails at once if the port is in use.
  await awsPort();
  const start: LaptopOptions = { stage, awsPort, say: print, stopped };
  if (service) {
    const laptop = await startLaptop(start, service);
    if (events) printEvents(laptop);
    return followWithConsole(laptop, stage, () => runWithService(laptop, service, sign, stopped)).finally(laptop.close);
  }
  const simulatorPort = await portOfSimulator(options.simulatorPort);
  const laptop = await startSimulatedLaptop({ ...start, simulatorPort });
  if (events) printEvents(laptop);
  const follow = () => runExamples(laptop, { once, isPersonSigning: !signer, stopped });
  // A run that ends by itself needs no console.
  return (once ? follow() : followWithConsole(laptop, stage, follow)).finally(laptop.close);
}

/** Prints the progress of the orders that a person submits to another order service. Returns the exit code. */
async function runWithService(laptop: Laptop, service: Service, sign: boolean, stopped: AbortSignal): Promise<number> {
  const orders = followOrders(laptop, {
    say: stopwatch(),
    isPersons: (_orderRef, waitingFor) => !sign || waitingFor === 'decision',
    files: OWN_FILES,
    signedLine: (documents) => `signed ${documents} documents with the key that was made for this run`,
  });
  const lines = [
    `Order service     ${service.url}   (from --service: orders are sent there, not to the simulator)`,
    `Token endpoint    ${service.tokenUrl}`,
    `Signatures        ${sign ? 'made here, with a key that is made for this run (--sign)' : 'yours'}`,
  ];
  printEndpoints(laptop, lines, ...ownPackage(laptop));
  if (sign) orders.signer.start();
  try {
    await orders.progress.until(() => false, stopped);
    return stop(false);
  } finally {
    await orders.stop();
  }
}

/** Prints each new event on the orders' bus as one line: its type, and its detail as JSON. */
function printEvents({ aws, outputs }: Laptop): void {
  aws.watch((change) => {
    if (change.type !== 'event' || change.bus !== outputs.EventBus) return;
    const { 'detail-type': type, detail } = change.event;
    print(`event  ${String(type)}  ${JSON.stringify(detail)}`);
  });
}

/** Serves the console meanwhile. It is loaded only here: it takes 15 MB and a quarter of a second. */
async function followWithConsole(
  laptop: Laptop,
  { name, namePrefix }: Stage,
  follow: () => Promise<number>,
): Promise<number> {
  if (isOutputPublic()) {
    print('Console           not served, as others can read this file: npx loan-orders --local console');
    return follow();
  }
  const { startConsole } = await import('../console/server/console.ts');
  const prefix = namePrefix !== undefined && { namePrefix };
  const place = { stage: name, ...prefix, local: true, endpoint: laptop.aws.endpoint } as const;
  const onAddress = (address: string) => print(`Console           ${address}   (opens once)`);
  const served = await startConsole({ place, port: 0, onAddress });
  return follow().finally(served.close);
}
