import { followOrders } from './follow-orders.ts';
import type { Laptop } from './laptop.ts';
import type { Service } from './named-service.ts';
import { ownPackage, printEndpoints, stop, stopwatch } from './run.ts';

/** The person's own key, because the service decides whose signatures it accepts. */
const OWN_FILES = { key: 'key.pem', cert: 'certificate.pem' };

export interface ServiceRun {
  /** Whether documents are signed here, with a key that is made for this run. */
  sign: boolean;
  stopped: AbortSignal;
}

/** Prints the progress of the orders that a person submits to another order service. Returns the exit code. */
export async function runWithService(laptop: Laptop, service: Service, { sign, stopped }: ServiceRun): Promise<number> {
  const orders = followOrders(laptop, {
    say: stopwatch(),
    isPersons: (_orderRef, waitingFor) => !sign || waitingFor === 'decision',
    files: OWN_FILES,
    signedLine: (documents) => `signed ${documents} documents with the key that was made for this run`,
  });
  printEndpoints(
    laptop,
    [
      `Order service     ${service.url}   (from --service: orders are sent there, not to the simulator)`,
      `Token endpoint    ${service.tokenUrl}`,
      `Signatures        ${sign ? 'made here, with a key that is made for this run (--sign)' : 'yours'}`,
    ],
    ...ownPackage(laptop),
  );
  if (sign) orders.signer.start();
  try {
    await orders.progress.untilStopped(stopped);
    return stop(false);
  } finally {
    await orders.stop();
  }
}
