import type { Laptop } from './laptop.ts';
import type { Service } from './named-service.ts';
import { PartnerSigner } from './people/partner-signer.ts';
import { commandsFor } from './people/person.ts';
import { Progress } from './progress.ts';
import { OWN_PACKAGE, placeOf, printEndpoints, stop, stopwatch } from './run.ts';

/** The person's own key: the service decides whose signatures it takes. */
const OWN_FILES = { key: 'key.pem', cert: 'certificate.pem' };

export interface ServiceRun {
  /** Whether documents are signed here, with a key that is made for this run. */
  sign: boolean;
  stopped: AbortSignal;
}

/** Shows what becomes of the orders that a person submits to the order service that is named; the answer is the exit code. */
export async function runWithService(laptop: Laptop, service: Service, { sign, stopped }: ServiceRun): Promise<number> {
  const say = stopwatch();
  const { s3, outputs, aws } = laptop;
  const stagingBucket = outputs.StagingBucket ?? '';
  const place = placeOf(laptop);
  const progress = new Progress({
    s3,
    stagingBucket,
    table: outputs.OrderTable ?? '',
    watch: aws.watch,
    print: say,
    isPersons: (_orderRef, waitingFor) => !sign || waitingFor === 'decision',
    tell: (turn) => commandsFor(turn, place, OWN_FILES),
  });
  const signer = new PartnerSigner({
    s3,
    stagingBucket,
    watch: aws.watch,
    onSigned: (orderRef, documents) =>
      say(orderRef, `signed ${documents} documents with a key that was made for this run`),
    onError: (error) => say('signer', error.message),
  });
  printEndpoints(
    laptop,
    [
      `Order service     ${service.url}   (named by --service: orders go there, not to the simulator)`,
      `Token endpoint    ${service.tokenUrl}`,
      `Signatures        ${sign ? 'made here, with a key that was made for this run (--sign)' : 'yours'}`,
    ],
    ...OWN_PACKAGE,
  );
  if (sign) signer.start();
  try {
    await progress.untilStopped(stopped);
    return stop(false);
  } finally {
    await Promise.all([signer.stop(), progress.stop()]);
  }
}
