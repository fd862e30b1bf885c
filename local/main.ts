import '../bin/compile-cache.ts';

import { once as nextEvent } from 'node:events';
import { parseArgs } from 'node:util';
import { LAPTOP_ENDPOINT } from '../commands/place.ts';
import { type Example, listExamples, uploadExample } from './examples.ts';
import { choosePort } from './free-port.ts';
import { type Laptop, startLaptop } from './laptop.ts';
import { LegacyBank } from './legacy-bank.ts';
import { NotAsClaimed, showLegacyExchange } from './legacy-show.ts';
import { PartnerSigner } from './partner-signer.ts';
import { commandsFor, keepSignerFiles } from './person.ts';
import { Progress } from './progress.ts';

const HELP = `npm start -- [--once] [--legacy] [--port <port>] [--simulator-port <port>]

Runs the order workflow on this machine, without an AWS account: the synthesized stack in an embedded AWS, the order
service's simulator, a signer that plays the partner, and the packages of examples/, of which one waits for you.

  --once                   end when every example has reached the end that examples/README.md names (one that a person signs is left
                           where it waits for that), or when the bank exchange has done all that it should
  --legacy                 the obsolete bank exchange instead: its stack alone, a bank, and users who leave requests
  --port <port>            port of the embedded AWS (default 4566, or any free one when that is taken)
  --simulator-port <port>  port of the order service's simulator (default 4010, or any free one when that is taken)
`;

const ONCE_LIMIT = 120_000;
const print = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const options = readOptions();
  if (options.help) {
    print(HELP);
    return 0;
  }
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopped.abort());
  try {
    const laptop = await startLaptop({
      awsPort: await choosePort('--port', options.awsPort, 4566),
      simulatorPort: await choosePort('--simulator-port', options.simulatorPort, 4010),
      legacy: options.legacy,
      print,
      stopped: stopped.signal,
    });
    try {
      return await (options.legacy ? runLegacy : run)(laptop, options.once, stopped.signal);
    } finally {
      await laptop.close();
    }
  } catch (error) {
    if (error !== stopped.signal.reason) throw error;
    return stop(options.once);
  }
}

/** The exit code of a run that a person ended. */
function stop(once: boolean): number {
  print('Stopped.');
  return once ? 1 : 0;
}

async function run(laptop: Laptop, once: boolean, stopped: AbortSignal): Promise<number> {
  const say = stopwatch();
  const { s3, outputs, aws } = laptop;
  const stagingBucket = outputs.StagingBucket ?? '';
  const examples = listExamples();
  const persons = new Set(examples.filter(({ byPerson }) => byPerson).map(({ name }) => name));
  const [place, files] = [
    aws.endpoint === LAPTOP_ENDPOINT ? '--local' : `--endpoint ${aws.endpoint}`,
    keepSignerFiles(),
  ];
  const progress = new Progress({
    s3,
    stagingBucket,
    table: outputs.OrderTable ?? '',
    watch: aws.watch,
    print: say,
    persons,
    tell: (turn) => commandsFor(turn, place, files),
  });
  const signer = new PartnerSigner({
    s3,
    stagingBucket,
    watch: aws.watch,
    leaves: persons,
    onSigned: (orderRef, documents) => say(orderRef, `the partner's signer signed ${documents} documents`),
    onError: (error) => say('signer', error.message),
  });
  printEndpoints(
    laptop,
    'Submit a package of your own, files first and order.json last, under an orderRef of your choice:',
    ['--recursive --exclude order.json my-package', 'orders/my-order'],
    ['my-package/order.json', 'orders/my-order/order.json'],
  );
  signer.start();
  try {
    for (const example of examples) await uploadExample(s3, outputs.IntakeBucket ?? '', example, example.name);
    return await follow(progress, examples, once, stopped);
  } finally {
    await Promise.all([signer.stop(), progress.stop()]);
  }
}

/** Shows the bank exchange from end to end, and without `once` serves until it is stopped; the answer is the exit code. */
async function runLegacy(laptop: Laptop, once: boolean, stopped: AbortSignal): Promise<number> {
  const { simulator, aws } = laptop;
  const bank = new LegacyBank(laptop);
  printEndpoints(
    laptop,
    'Send a status of your own for a request, or offers for a batch of tax numbers:',
    ['status.json', 'legacy/status/my-request.json'],
    ['offers.json', 'legacy/offers/my-batch.json'],
  );
  try {
    await showLegacyExchange({ simulator, bank, startSchedules: aws.startSchedules, say: stopwatch(), stopped });
    print('The bank exchange did all that it should.');
    if (once) return 0;
    if (!stopped.aborted) await nextEvent(stopped, 'abort');
  } catch (error) {
    if (error instanceof NotAsClaimed) {
      print(`FAILED: ${error.message}`);
      return 1;
    }
    if (!stopped.aborted) throw error;
  }
  return stop(once);
}

/** Prints lines about something, each with the seconds since now. */
function stopwatch() {
  const started = Date.now();
  return (what: string, line: string) =>
    print(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${what.padEnd(18)} ${line}`);
}

/** Serves until stopped, or with `once` until every example has ended; the answer is the exit code. */
async function follow(progress: Progress, examples: Example[], once: boolean, stopped: AbortSignal): Promise<number> {
  if (once) {
    const limit = AbortSignal.any([stopped, AbortSignal.timeout(ONCE_LIMIT)]);
    const names = examples.map(({ name }) => name);
    await progress.untilEnded(names, limit);
    if (!stopped.aborted) return judge(progress, examples);
  }
  await progress.untilStopped(stopped);
  return stop(once);
}

function judge(progress: Progress, examples: Example[]): number {
  const wrong = examples.filter(({ name, end }) => progress.ends().get(name) !== end);
  for (const { name, end } of wrong) {
    print(`FAILED: ${name} should end as ${end}, but ${progress.ends().get(name) ?? 'has not ended in time'}.`);
  }
  if (wrong.length === 0) print(`All ${examples.length} examples reached their ends.`);
  for (const { name, end, byPerson } of examples) {
    if (byPerson)
      print(`${name} waits for a person as ${end}: run without --once to sign it and decide on its offers.`);
  }
  return wrong.length === 0 ? 0 : 1;
}

/** Where everything is, and how to upload `files`, each from what `aws s3 cp` takes to its key. */
function printEndpoints({ aws, simulator, outputs }: Laptop, invitation: string, ...files: [string, string][]): void {
  const variables = Object.entries({ ...aws.environment, AWS_DEFAULT_REGION: aws.region }).map(
    ([name, value]) => `${name}=${value}`,
  );
  print(`
Embedded AWS      ${aws.endpoint}
Service           ${simulator.url}   (what it was asked: ${simulator.url}/simulator/calls)
Intake bucket     ${outputs.IntakeBucket}
Staging bucket    ${outputs.StagingBucket}

${invitation}
  export ${variables.join(' ')}
${files.map(([source, key]) => `  aws s3 cp ${source} s3://${outputs.IntakeBucket}/${key}`).join('\n')}
`);
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      once: { type: 'boolean', default: false },
      legacy: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      port: { type: 'string' },
      'simulator-port': { type: 'string' },
    },
  });
  return {
    once: values.once,
    legacy: values.legacy,
    help: values.help,
    awsPort: readPort('port', values.port),
    simulatorPort: readPort('simulator-port', values['simulator-port']),
  };
}

function readPort(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (text !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`--${name} must be a port number, 0 to 65535.`);
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
