import { EventEmitter, once } from 'node:events';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Change } from '@business-loan-orders/embedded-aws';
import { Buckets } from '../commands/shared/buckets.ts';
import { problemText } from '../commands/shared/rejection-text.ts';
import { lineFacts, lineOf, type TimelineEntry } from '../commands/shared/timeline.ts';
import { isFinal, type OrderItem } from '../core/order/order-item.ts';
import { ANSWERS_PREFIX, type RejectedUpload } from '../core/staging/rejected-upload.ts';
import { type Laptop, placeOf } from './laptop.ts';
import { commandsFor, type PersonsTurn, type SignerFiles } from './people/person.ts';

type ShownOrder = Pick<OrderItem, 'orderRef' | 'status' | 'waitingFor' | 'failure'>;

export interface FollowOptions {
  say(orderRef: string, line: string): void;
  isPersons(orderRef: string, waitingFor: PersonsTurn['waitingFor']): boolean;
  files: SignerFiles;
  signedLine(documents: number): string;
}

/** Prints the timeline of every order as it grows. It reads the order table and the staging bucket, like operators and partners. */
export class Progress {
  /** Final statuses, `REJECTED`, errors of failed executions, or the statuses of orders that wait for the person. */
  readonly ends = new Map<string, string>();
  readonly #laptop: Laptop;
  readonly #options: FollowOptions;
  readonly #buckets: Buckets;
  readonly #stopWatching: () => void;
  readonly #events = new EventEmitter();
  readonly #started = new Set<string>();
  /** The last answer that was shown for each rejected upload, by key. */
  readonly #rejections = new Map<string, string>();
  readonly #lines = new Set<string>();
  /** Handles changes one after the other, in order. */
  #showing: Promise<void> = Promise.resolve();
  #failure: Error | undefined;

  constructor(laptop: Laptop, options: FollowOptions) {
    this.#laptop = laptop;
    this.#options = options;
    const { StagingBucket: staging = '', IntakeBucket: intake = '' } = laptop.outputs;
    this.#buckets = new Buckets(laptop.s3, { staging, intake });
    this.#stopWatching = laptop.aws.watch((change) => {
      this.#showing = this.#showing
        .then(() => this.#show(change))
        .catch((error: Error) => {
          this.#failure ??= error;
        })
        .finally(() => this.#events.emit('change'));
    });
  }

  /** Resolves when `isEnough`, or `signal` aborts. Throws when a staged file can't be read. */
  async until(isEnough: () => boolean, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#failure) throw this.#failure;
      if (isEnough()) return;
      await once(this.#events, 'change', { signal }).catch((error: Error) => {
        if (!signal.aborted) throw error;
      });
    }
  }

  async stop(): Promise<void> {
    this.#stopWatching();
    await this.#showing;
  }

  async #show(change: Change): Promise<void> {
    const { StagingBucket, OrderTable } = this.#laptop.outputs;
    if (change.type === 'object' && change.bucket === StagingBucket && change.key.startsWith(ANSWERS_PREFIX)) {
      await this.#showRejected(change.key);
    } else if (change.type === 'item' && change.table === OrderTable) {
      const values = unmarshall(change.item as unknown as Record<string, AttributeValue>);
      const item = values as ShownOrder & { item: string };
      if (item.item === 'order') await this.#showState(item);
      const line = lineOf(item);
      if (line) this.#showTimeline(line);
    }
  }

  #showTimeline(line: TimelineEntry): void {
    const { orderRef, item, what } = line;
    const name = `${orderRef} ${item}`;
    // An end is recorded by the execution's last step or by its event, whichever comes first.
    if (this.#lines.has(name)) return;
    this.#lines.add(name);
    const details = lineFacts(line).map(([name, value]) => `${name} ${value}`);
    this.#options.say(orderRef, [what, ...details].join(', '));
  }

  async #showState(order: ShownOrder): Promise<void> {
    const { orderRef, waitingFor } = order;
    this.#started.add(orderRef);
    const end = this.#endOf(order);
    const before = this.ends.get(orderRef);
    if (end === undefined) this.ends.delete(orderRef);
    else this.ends.set(orderRef, end);
    if (end === undefined || end === before) return;
    if (this.#isPersonsTurn(orderRef, waitingFor)) await this.#showTurn(orderRef, waitingFor);
    else await this.#showEnd(order, end);
  }

  #endOf({ orderRef, status, waitingFor, failure }: ShownOrder): string | undefined {
    if (isFinal(status) || this.#isPersonsTurn(orderRef, waitingFor)) return status;
    const isStopped = waitingFor === 'operator' || waitingFor === 'nobody';
    return isStopped ? (failure?.error ?? 'FAILED') : undefined;
  }

  #isPersonsTurn(orderRef: string, waitingFor: string): waitingFor is PersonsTurn['waitingFor'] {
    const isTurn = waitingFor === 'signatures' || waitingFor === 'decision';
    return isTurn && this.#options.isPersons(orderRef, waitingFor);
  }

  async #showTurn(orderRef: string, waitingFor: PersonsTurn['waitingFor']): Promise<void> {
    const offers = (await this.#buckets.staged<PersonsTurn['offers']>(orderRef, 'offers.json')) ?? [];
    const lines = commandsFor({ orderRef, waitingFor, offers }, placeOf(this.#laptop), this.#options.files);
    for (const line of lines) this.#options.say(orderRef, line);
  }

  /** Each event of a package makes intake check and answer it again. The same answer is shown once. */
  async #showRejected(key: string): Promise<void> {
    const upload = await this.#buckets.stagedAt<RejectedUpload>(key);
    const text = JSON.stringify(upload);
    if (upload === undefined || this.#rejections.get(key) === text) return;
    this.#rejections.set(key, text);
    const problems = upload.problems.map(problemText);
    if (upload.kind === 'upload')
      return this.#options.say('upload', `${upload.key} belongs to no order. ${problems.join(' ')}`);
    const orderRef = upload.key.split('/')[1] ?? '';
    // If the order has already started, the rejection of a further package does not end it.
    if (this.#started.has(orderRef)) return;
    this.ends.set(orderRef, 'REJECTED');
    for (const line of ['ended as REJECTED', ...problems.map((problem) => `  ${problem}`)])
      this.#options.say(orderRef, line);
  }

  async #showEnd({ orderRef, status, failure }: ShownOrder, end: string): Promise<void> {
    this.#options.say(orderRef, `ended as ${end}`);
    const issues = status === 'VALIDATION_FAILED' && (await this.#buckets.staged<object>(orderRef, 'issues.json'));
    const reasons = issues ? [issues].flat().map((issue) => JSON.stringify(issue)) : [failure?.cause];
    for (const reason of reasons) if (reason !== undefined) this.#options.say(orderRef, `  ${reason}`);
  }
}
