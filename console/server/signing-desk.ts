import { named, refusedSignatures } from '../../commands/documents.ts';
import type { Buckets } from '../../commands/shared/buckets.ts';
import type { StageConnection } from '../../commands/shared/connection.ts';
import { ignoring, isAccessDenied } from '../../commands/shared/failure.ts';
import type { OrderDetails } from '../../commands/shared/order-details.ts';
import { signingView } from '../../commands/shared/views.ts';
import { type AskedDocument, documentsAsked } from '../../commands/sign/judge-file.ts';
import { inBatches } from '../../core/in-batches.ts';
import type { DeskFacts, DeskOrder, OrderRow } from '../api.ts';
import type { OrdersFeed } from './orders-feed.ts';

/** The most orders on the desk. */
const MOST = 100;
/** How many orders whose rows have not changed are read again at each look: the arrival of a signature changes only the timeline. */
const AGAIN = 10;

interface Source {
  connection: Pick<StageConnection, 'record'>;
  buckets: Buckets;
  feed: OrdersFeed;
  /** The least milliseconds between two looks. */
  lookEvery: number;
}

interface Known {
  changedAt: string;
  readAt: number;
  /** Absent if the order asks people for no signatures. */
  facts?: DeskOrder;
  documents: AskedDocument[];
}

/** The orders that wait for people's signatures, longest waiting first. A look reads those that changed, and a few others. */
export class SigningDesk {
  readonly #source: Source;
  #known = new Map<string, Known>();
  #more = 0;
  #lookedAt = 0;
  #look: Promise<void> | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  async facts(): Promise<DeskFacts> {
    await this.#lookAgain();
    return { orders: [...this.#known.values()].flatMap(({ facts }) => facts ?? []), more: this.#more };
  }

  /** The documents of these orders; without any, those of all orders on the desk. An order that has left the desk is read. */
  async documents(orderRefs?: readonly string[]): Promise<AskedDocument[]> {
    await this.#lookAgain();
    const found = [...(orderRefs ?? this.#known.keys())].map(
      async (orderRef) =>
        this.#known.get(orderRef)?.documents ?? documentsAsked(await this.#source.connection.record.details(orderRef)),
    );
    return (await Promise.all(found)).flat();
  }

  /** Looks that are asked for at the same time are one. */
  #lookAgain(): Promise<void> {
    if (Date.now() - this.#lookedAt < this.#source.lookEvery) return Promise.resolve();
    this.#look ??= this.#lookOnce().finally(() => {
      this.#look = undefined;
    });
    return this.#look;
  }

  async #lookOnce(): Promise<void> {
    const { rows } = await this.#source.feed.since(0);
    const waiting = rows.filter(({ waitingFor }) => waitingFor === 'signatures');
    waiting.sort((one, other) => (one.changedAt < other.changedAt ? -1 : 1));
    const shown = waiting.slice(0, MOST);
    const isNews = ({ orderRef, changedAt }: OrderRow) => this.#known.get(orderRef)?.changedAt !== changedAt;
    const readAt = ({ orderRef }: OrderRow) => this.#known.get(orderRef)?.readAt ?? 0;
    const others = shown.filter((row) => !isNews(row)).sort((one, other) => readAt(one) - readAt(other));
    await inBatches([...shown.filter(isNews), ...others.slice(0, AGAIN)], async (row) => {
      this.#known.set(row.orderRef, await this.#read(row));
    });
    this.#known = new Map(shown.map(({ orderRef }) => [orderRef, this.#known.get(orderRef) as Known]));
    this.#more = waiting.length - shown.length;
    this.#lookedAt = Date.now();
  }

  async #read({ orderRef, changedAt }: OrderRow): Promise<Known> {
    const { connection, buckets } = this.#source;
    const readAt = Date.now();
    const details = await connection.record.findDetails(orderRef);
    if (!details) return { changedAt, readAt, documents: [] };
    const documents = documentsAsked(details);
    const known = this.#known.get(orderRef)?.documents ?? [];
    // The known ones have the digests that signatures needed.
    const isSame = documents.every(({ versionId }, at) => versionId === known[at]?.versionId);
    const found = { changedAt, readAt, documents: isSame ? known : documents };
    if (details.order.waitingFor !== 'signatures' || details.order.signing !== 'external') return found;
    const isRejected = details.timeline.some(({ what }) => what === 'A signature was rejected');
    const refused = isRejected ? await refusedSignatures(buckets, orderRef).catch(ignoring(isAccessDenied)) : undefined;
    return { ...found, facts: factsOf(details, refused ?? []) };
  }
}

/** The documents have the names that the ZIP and the verdicts give them. */
function factsOf(details: OrderDetails, refused: DeskOrder['refused']): DeskOrder {
  const { orderRef, awaited, changedAt, labels = {}, due } = details.order;
  const toSign = named(details).map((document) => ({ ...document, name: document.file }));
  toSign.sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }));
  const view = signingView({ ...details, toSign });
  return {
    orderRef,
    since: awaited?.since ?? changedAt,
    labels,
    due,
    documents: view.toSign.filter(({ round }) => round === view.signaturesRound),
    refused,
  };
}
