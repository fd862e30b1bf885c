import { EventEmitter, once } from 'node:events';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, NoSuchKey } from '@aws-sdk/client-s3';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Change } from '@business-loan-orders/embedded-aws';
import { isFinal } from '../core/order/order-item.ts';
import { factsOf } from '../core/order/what-happened.ts';
import { ANSWERS_PREFIX, problemText, type RejectedUpload } from '../core/people/rejected-upload.ts';
import { type Laptop, placeOf } from './laptop.ts';
import { OrderLines, type ShownOrder } from './order-lines.ts';
import { commandsFor, type PersonsTurn, type SignerFiles } from './people/person.ts';
import { screen } from './screen.ts';

export interface FollowOptions {
  /** Prints a line about an order. */
  say(orderRef: string, line: string): void;
  /** Whether a person signs the order, or decides on its offers. */
  isPersons(orderRef: string, waitingFor: PersonsTurn['waitingFor']): boolean;
  /** The files that a person signs with. */
  files: SignerFiles;
  /** The orders that the partner's signer leaves to a person. */
  leaves?: ReadonlySet<string>;
  /** The line to print when the partner's signer has signed documents. */
  signedLine(documents: number): string;
}

/** A line of an order's timeline. */
interface TimelineItem {
  orderRef: string;
  item: string;
  at: string;
  what: string;
  [fact: string]: string | number;
}

/** Prints the timeline of every order as it grows. It reads the order table and the staging bucket, like operators and partners. */
export class Progress {
  private readonly laptop: Laptop;
  private readonly options: FollowOptions;
  private readonly shown = new OrderLines();
  private readonly ended = new Map<string, string>();
  private readonly stopWatching: () => void;
  private readonly events = new EventEmitter();
  /** Orders that have a record. */
  private readonly started = new Set<string>();
  /** The last answer that was shown of each rejected upload, by its key. */
  private readonly rejections = new Map<string, string>();
  /** The timeline's lines that were printed. */
  private readonly lines = new Set<string>();
  /** Handles changes one after the other, in order. */
  private showing: Promise<void> = Promise.resolve();
  private failure: Error | undefined;

  constructor(laptop: Laptop, options: FollowOptions) {
    this.laptop = laptop;
    this.options = options;
    screen.show((columns, room) => this.shown.lines(columns, room));
    this.stopWatching = laptop.aws.watch((change) => {
      this.showing = this.showing.then(() => this.show(change)).catch((error: Error) => this.fail(error));
    });
  }

  /**
   * The ends of the orders that have one: the final status, `REJECTED`, the error of a failed execution, or the status of an order
   * that waits for the person.
   */
  ends(): ReadonlyMap<string, string> {
    return this.ended;
  }

  /**
   * Resolves when each of these orders has an end, or `signal` aborts.
   * @throws Error when a staged file can't be read.
   */
  async untilEnded(orderRefs: readonly string[], signal: AbortSignal): Promise<void> {
    await this.until(() => orderRefs.every((orderRef) => this.ended.has(orderRef)), signal);
  }

  /** Resolves when `signal` aborts. Throws as `untilEnded` does. */
  async untilStopped(signal: AbortSignal): Promise<void> {
    await this.until(() => false, signal);
  }

  async stop(): Promise<void> {
    this.stopWatching();
    await this.showing;
  }

  private async until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.failure) throw this.failure;
      if (condition()) return;
      await once(this.events, 'change', { signal }).catch((error: Error) => {
        if (!signal.aborted) throw error;
      });
    }
  }

  private fail(error: Error): void {
    this.failure ??= error;
    this.events.emit('change');
  }

  private async show(change: Change): Promise<void> {
    const { StagingBucket, OrderTable } = this.laptop.outputs;
    if (change.type === 'object') {
      if (change.bucket !== StagingBucket || !change.key.startsWith(ANSWERS_PREFIX)) return;
      await this.showRejected(change.key);
    } else if (change.type === 'item' && change.table === OrderTable) {
      const item = unmarshall(change.item as unknown as Record<string, AttributeValue>);
      if (item.item === 'order') await this.showState(item as ShownOrder);
      else if (item.item.startsWith('event#')) this.showTimeline(item as TimelineItem);
    }
    this.events.emit('change');
  }

  private showTimeline(line: TimelineItem): void {
    const { orderRef, item, what } = line;
    const name = `${orderRef} ${item}`;
    // An end is recorded by the execution's last step and by its event, whichever comes first.
    if (this.lines.has(name)) return;
    this.lines.add(name);
    const details = factsOf(line).map(([name, value]) => `${name} ${value}`);
    // On a terminal, the order's own line says it.
    if (!screen.moves()) this.options.say(orderRef, [what, ...details].join(', '));
  }

  private async showState(order: ShownOrder): Promise<void> {
    const { orderRef } = order;
    this.shown.changed(order);
    this.started.add(orderRef);
    const end = this.endOf(order);
    const isNew = end !== this.ended.get(orderRef);
    if (end === undefined) this.ended.delete(orderRef);
    else this.ended.set(orderRef, end);
    if (end === undefined || !isNew) return;
    if (this.isPersonsTurn(orderRef, order.waitingFor)) await this.showTurn(orderRef, order.waitingFor);
    else await this.showEnd(order, end);
  }

  private endOf({ orderRef, status, waitingFor, failure }: ShownOrder): string | undefined {
    if (isFinal(status) || this.isPersonsTurn(orderRef, waitingFor)) return status;
    const isStopped = waitingFor === 'operator' || waitingFor === 'nobody';
    return isStopped ? (failure?.error ?? 'FAILED') : undefined;
  }

  private isPersonsTurn(orderRef: string, waitingFor: string): waitingFor is PersonsTurn['waitingFor'] {
    const isTurn = waitingFor === 'signatures' || waitingFor === 'decision';
    return isTurn && this.options.isPersons(orderRef, waitingFor);
  }

  private async showTurn(orderRef: string, waitingFor: PersonsTurn['waitingFor']): Promise<void> {
    const offers = JSON.parse((await this.staged(`orders/${orderRef}/offers.json`)) ?? '[]') as PersonsTurn['offers'];
    const lines = commandsFor({ orderRef, waitingFor, offers }, placeOf(this.laptop), this.options.files);
    for (const line of lines) this.options.say(orderRef, line);
  }

  /** Each event of a package makes intake check and answer it again. The same answer is shown once. */
  private async showRejected(key: string): Promise<void> {
    const page = await this.staged(key);
    if (page === undefined || this.rejections.get(key) === page) return;
    this.rejections.set(key, page);
    const upload = JSON.parse(page) as RejectedUpload;
    const problems = upload.problems.map(problemText);
    if (upload.kind === 'upload')
      return this.options.say('upload', `${upload.key} belongs to no order. ${problems.join(' ')}`);
    const orderRef = upload.key.split('/')[1] ?? '';
    // If the order has already started, the rejection of a further package does not end it.
    if (this.started.has(orderRef)) return;
    this.ended.set(orderRef, 'REJECTED');
    this.shown.changed({ orderRef, status: 'REJECTED', waitingFor: 'nobody', changedAt: new Date().toISOString() });
    this.options.say(orderRef, 'ended as REJECTED');
    for (const problem of problems) this.options.say(orderRef, `  ${problem}`);
  }

  private async showEnd({ orderRef, status, failure }: ShownOrder, end: string): Promise<void> {
    this.options.say(orderRef, `ended as ${end}`);
    if (status === 'VALIDATION_FAILED') await this.printIssues(orderRef);
    else if (failure) this.options.say(orderRef, `  ${failure.cause}`);
  }

  private async printIssues(orderRef: string): Promise<void> {
    const issues: unknown = JSON.parse((await this.staged(`orders/${orderRef}/issues.json`)) ?? '[]');
    for (const issue of [issues].flat()) this.options.say(orderRef, `  ${JSON.stringify(issue)}`);
  }

  /** A page of the staging bucket, or undefined if there is none. */
  private async staged(Key: string): Promise<string | undefined> {
    try {
      const page = new GetObjectCommand({ Bucket: this.laptop.outputs.StagingBucket, Key });
      return await (await this.laptop.s3.send(page)).Body?.transformToString();
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }
}
