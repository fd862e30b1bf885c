import type { Laptop } from './laptop.ts';
import { OrderLines } from './order-lines.ts';
import { PartnerSigner } from './people/partner-signer.ts';
import { commandsFor, type SignerFiles } from './people/person.ts';
import { Progress, type ProgressOptions } from './progress.ts';
import { placeOf } from './run.ts';
import { screen } from './screen.ts';

export interface FollowOptions {
  /** Prints a line about an order. */
  say(orderRef: string, line: string): void;
  isPersons: ProgressOptions['isPersons'];
  /** The files that a person signs with. */
  files: SignerFiles;
  /** The orders that the partner's signer leaves to a person. */
  leaves?: ReadonlySet<string>;
  /** The line to print when the partner's signer has signed documents. */
  signedLine(documents: number): string;
}

/** The progress of all orders on a laptop, and a signer for the partner, which signs once it is started. */
export interface FollowedOrders {
  progress: Progress;
  signer: PartnerSigner;
  stop(): Promise<void>;
}

/** Prints the progress of all orders from now on. */
export function followOrders(laptop: Laptop, options: FollowOptions): FollowedOrders {
  const { s3, outputs, aws } = laptop;
  const { say, isPersons, files, leaves, signedLine } = options;
  const stagingBucket = outputs.StagingBucket ?? '';
  const place = placeOf(laptop);
  const lines = new OrderLines();
  screen.show((columns, room) => lines.lines(columns, room));
  const progress = new Progress({
    s3,
    stagingBucket,
    table: outputs.OrderTable ?? '',
    watch: aws.watch,
    print: say,
    // On a terminal, the order's own line says it.
    event: (orderRef, line) => screen.moves() || say(orderRef, line),
    changed: (order) => lines.changed(order),
    isPersons,
    tell: (turn) => commandsFor(turn, place, files),
  });
  const signer = new PartnerSigner({
    s3,
    stagingBucket,
    watch: aws.watch,
    ...(leaves && { leaves }),
    onSigned: (orderRef, documents) => say(orderRef, signedLine(documents)),
    onError: (error) => say('signer', error.message),
  });
  const stop = async () => {
    await Promise.all([signer.stop(), progress.stop()]);
  };
  return { progress, signer, stop };
}
