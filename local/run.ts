import { LAPTOP_ENDPOINT } from '../commands/stage/place.ts';
import type { Laptop } from './laptop.ts';

/** What a run on the laptop is told, and how it is ended. */
export interface Run {
  /** Whether it ends by itself. */
  once: boolean;
  stopped: AbortSignal;
}

export const print = (line: string) => process.stdout.write(`${line}\n`);

/** The exit code of a run that a person ended. */
export function stop(once: boolean): number {
  print('Stopped.');
  return once ? 1 : 0;
}

/** Prints lines about something, each with the seconds since now. */
export function stopwatch() {
  const started = Date.now();
  return (what: string, line: string) =>
    print(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${what.padEnd(18)} ${line}`);
}

/** A local file, and the key of intake that it is uploaded to. */
type Upload = [source: string, key: string];

/** Where everything is, and how to upload `files`, each from what `aws s3 cp` takes to its key. `service` holds lines about the service. */
export function printEndpoints(
  { aws, outputs }: Laptop,
  service: string[],
  invitation: string,
  ...files: Upload[]
): void {
  const variables = Object.entries({ ...aws.environment, AWS_DEFAULT_REGION: aws.region }).map(
    ([name, value]) => `${name}=${value}`,
  );
  print(`
Embedded AWS      ${aws.endpoint}
${service.join('\n')}
Intake bucket     ${outputs.IntakeBucket}
Staging bucket    ${outputs.StagingBucket}

${invitation}
  export ${variables.join(' ')}
${files.map(([source, key]) => `  aws s3 cp ${source} s3://${outputs.IntakeBucket}/${key}`).join('\n')}
`);
}

/** How a package of one's own is uploaded. */
export const OWN_PACKAGE: [string, ...Upload[]] = [
  'Submit a package of your own, files first and order.json last, under an orderRef of your choice:',
  ['--recursive --exclude order.json my-package', 'orders/my-order'],
  ['my-package/order.json', 'orders/my-order/order.json'],
];

/** What the simulator is called, and where it says what it was asked. */
export const simulatorLines = (url: string) => [
  `Service           ${url}   (what it was asked: ${url}/simulator/calls)`,
];

/** How the commands are told which laptop they are for. */
export const placeOf = ({ aws }: Laptop) =>
  aws.endpoint === LAPTOP_ENDPOINT ? '--local' : `--endpoint ${aws.endpoint}`;
