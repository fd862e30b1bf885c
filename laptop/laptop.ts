import { createWriteStream, mkdtempSync, rmSync, type WriteStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalAwsOptions } from '@business-loan-orders/embedded-aws';
import { type Simulator, startSimulator } from '@business-loan-orders/order-simulator';
import { announceLaptop, logFileOf } from '../commands/shared/laptops.ts';
import { LAPTOP_ENDPOINT } from '../commands/shared/place.ts';
import { ordersStackName } from '../infra/names.ts';
import type { Stage } from '../infra/stages.ts';
import { provideAssembly } from './assembly.ts';
import { laptopStage } from './laptop-stage.ts';
import type { Service } from './named-service.ts';
import { type OpenStage, openStage, type StageService, simulatedService } from './open-stage.ts';

export interface LaptopOptions {
  /** Default: `local`. */
  stage?: Stage;
  /** Chooses the port only when it is needed, because another laptop may take it meanwhile. 0 means any free port. */
  awsPort(): Promise<number>;
  /** Prints what happens next. */
  say(step: string): void;
  stopped?: AbortSignal;
}

export interface Laptop extends OpenStage {
  close(): Promise<void>;
}

export interface SimulatedLaptop extends Laptop {
  simulator: Simulator;
}

/** The option that selects this laptop on the command line. */
export const placeOf = ({ aws }: Laptop) =>
  aws.endpoint === LAPTOP_ENDPOINT ? '--local' : `--endpoint ${aws.endpoint}`;

/** The least wait when the service sends no usable `pollAfterSeconds`. Stage `local` has 1, which is too short for a real service. */
const LEAST_FALLBACK_SECONDS = 30;

/** Starts the laptop with a simulator of the order service. `simulatorPort` 0 means any free port. */
export async function startSimulatedLaptop(
  options: LaptopOptions & { simulatorPort: number },
): Promise<SimulatedLaptop> {
  const simulator = await startSimulator({
    port: options.simulatorPort,
    switches: true,
    settings: { pollAfterSeconds: 1, processingSeconds: 1, bankSeconds: 2 },
  });
  const laptop = await startStack(options, simulatedService(simulator), simulator);
  return { ...laptop, simulator };
}

export async function startLaptop(options: LaptopOptions, { url, tokenUrl, credentials }: Service): Promise<Laptop> {
  const { pollAfterSeconds } = options.stage ?? laptopStage();
  const fallback = String(Math.max(LEAST_FALLBACK_SECONDS, pollAfterSeconds.fallback));
  const addresses = { ORDER_SERVICE_URL: url, TOKEN_URL: tokenUrl, POLL_DEFAULT_SECONDS: fallback };
  return startStack(options, { addresses, credentials });
}

/** Writes the functions' logs to a file while the laptop runs. The laptop also runs if it cannot write the file. */
function laptopLog() {
  let file: WriteStream | undefined;
  const onLog: LocalAwsOptions['onLog'] = ({ time, functionName, line }) =>
    file?.write(`${new Date(time).toISOString()} ${functionName} ${line}\n`);
  const open = (endpoint: string) => {
    const path = logFileOf(endpoint);
    const remove = () => rmSync(path, { force: true });
    try {
      remove();
    } catch {
      return () => undefined;
    }
    // Never writes to another user's file, or through a link.
    file = createWriteStream(path, { flags: 'wx', mode: 0o600 }).on('error', () => undefined);
    return remove;
  };
  return { onLog, open };
}

/**
 * Starts a stage in the embedded AWS. If a part fails or `stopped` aborts, the parts that have started, and the simulator of its service,
 * are closed before the error is thrown.
 */
async function startStack(options: LaptopOptions, service: StageService, simulator?: Simulator): Promise<Laptop> {
  const { stage = laptopStage(), stopped } = options;
  const closers: (() => unknown)[] = [() => simulator?.close()];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const assemblyDirectory = mkdtempSync(join(tmpdir(), 'loan-orders-'));
    closers.push(() => rmSync(assemblyDirectory, { recursive: true, force: true }));
    options.say(`Synthesizing the stack of stage ${stage.name} …`);
    await provideAssembly(stage.name, assemblyDirectory, stopped && { signal: stopped });
    // Two concurrent runs of each function are enough for a person. More would wait for the main thread, which runs everything else.
    const amounts = { lambdaConcurrency: 2, lambdaThreads: 2, lambdaMemory: 1024 };
    const log = laptopLog();
    options.say('Starting the embedded AWS …');
    const [port, { onLog }] = [await options.awsPort(), log];
    const place = { assemblyDirectory, port, onLog };
    const opened = await openStage(service, { stack: ordersStackName(stage), ...amounts, ...place });
    closers.push(log.open(opened.aws.endpoint), opened.aws.close);
    options.say('Loading the functions …');
    await opened.aws.warm();
    stopped?.throwIfAborted();
    const switches = simulator?.switchesUrl;
    closers.push(announceLaptop(opened.aws.endpoint, stage, { ...(switches && { switches }) }));
    // The sweep, which restarts orders that an outage stopped.
    opened.aws.startSchedules();
    return { ...opened, close };
  } catch (error) {
    await close();
    throw error;
  }
}
