import { printable } from '../commands/shared/text.ts';
import { type Laptop, placeOf } from './laptop.ts';
import { PartnerSigner } from './people/partner-signer.ts';
import { type FollowOptions, Progress } from './progress.ts';

export interface Run {
  once: boolean;
  stopped: AbortSignal;
}

/** Foreign text in a line, such as a status, cannot control the terminal. */
export const print = (line: string) => void process.stdout.write(`${printable(line)}\n`);

/** Prints that a person stopped the run. Returns the exit code. */
export function stop(once: boolean): number {
  print('Stopped.');
  return once ? 1 : 0;
}

export function stopwatch() {
  const started = Date.now();
  return (what: string, line: string) =>
    print(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${what.padEnd(18)} ${line}`);
}

type Upload = [source: string, key: string];

/** Prints the endpoints and the commands that upload `files`. `service` holds lines about the order service. */
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

export const ownPackage = (laptop: Laptop): [string, ...Upload[]] => [
  `Submit your own package: npx loan-orders ${placeOf(laptop)} submit <folder>\nWith the AWS CLI, files first and order.json last:`,
  ['--recursive --exclude order.json my-package', 'orders/my-order'],
  ['my-package/order.json', 'orders/my-order/order.json'],
];

export const simulatorLines = (url: string) => [`Service           ${url}   (received calls: ${url}/simulator/calls)`];

/** Prints the progress of all orders on a laptop from now on. The partner's signer signs once started. */
export function followOrders(laptop: Laptop, options: FollowOptions) {
  const { say, signedLine } = options;
  const progress = new Progress(laptop, options);
  const signer = new PartnerSigner({
    s3: laptop.s3,
    stagingBucket: laptop.outputs.StagingBucket ?? '',
    watch: laptop.aws.watch,
    onSigned: (orderRef, documents) => say(orderRef, signedLine(documents)),
    onError: (error) => say('signer', error.message),
  });
  const stop = async () => {
    await Promise.all([signer.stop(), progress.stop()]);
  };
  return { progress, signer, stop };
}
