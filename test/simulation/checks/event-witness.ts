import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Change } from '@business-loan-orders/embedded-aws';
import { EVENT_SOURCE } from '../../../core/events/order-event.ts';
import { isFinal, type OrderItem } from '../../../core/order/order-item.ts';
import type { OrderItems } from './checked-order.ts';

interface ToldEvent {
  type: string;
  detail: Record<string, unknown> & { id: string; orderRef?: string; sequence?: number };
}

/** Only what the events follow from: an order is written often. */
const FACTS = ['status', 'failure', 'generation', 'redrives', 'awaited', 'remindedFor', 'eventCount'] as const;
type Item = Pick<OrderItem, (typeof FACTS)[number]>;

interface Seen {
  /** The item `order` as it was written last. */
  last?: Item;
  /** What must be told of the changes of the item `order`, in their sequence. */
  due: string[];
  told: Map<string, ToldEvent>;
  /** The versions of uploads that staging says were rejected. */
  rejected: Set<string>;
  problems: string[];
}

/** Watches our record and the event bus: each change is told once, in its sequence, and not before it is recorded. */
export class EventWitness {
  readonly #orders = new Map<string, Seen>();

  readonly onChange = (change: Change): void => {
    if (change.type === 'item') this.#record(change.item as unknown as Record<string, AttributeValue>);
    else if (change.type === 'object') this.#answered(change.key);
    else if (change.type === 'event' && change.event.source === EVENT_SOURCE) {
      this.#tell({ type: String(change.event['detail-type']), detail: change.event.detail as ToldEvent['detail'] });
    }
  };

  /** Called before the table goes back to these items. What was told since is told again, under the same ids. */
  restored(items: OrderItems): void {
    const orders = new Map(items.filter(({ item }) => item === 'order').map((order) => [order.orderRef, order]));
    for (const [orderRef, seen] of this.#orders) {
      const { eventCount = 0, ...order } = (orders.get(orderRef) ?? {}) as Partial<Item>;
      if (order.status === undefined) delete seen.last;
      else seen.last = { ...order, eventCount } as Item;
      seen.due.length = Math.min(seen.due.length, eventCount);
      for (const [id, { detail }] of seen.told) if ((detail.sequence ?? 0) > eventCount) seen.told.delete(id);
    }
  }

  problems(orderRef: string, items: OrderItems): string[] {
    const { due, told, rejected, problems } = this.#seen(orderRef);
    const events = [...told.values()].filter(({ detail }) => detail.sequence !== undefined);
    events.sort(({ detail: one }, { detail: other }) => (one.sequence ?? 0) - (other.sequence ?? 0));
    const came = events.map(lineOf);
    const first = [...due, ...came].findIndex((_, position) => due[position] !== came[position]);
    const ofUploads = [...told.values()].flatMap(({ type, detail }) =>
      type === 'Upload Rejected' ? [String(detail.versionId)] : [],
    );
    const untold = [...rejected].filter((one) => !ofUploads.includes(one));
    return [
      ...problems,
      ...timelineProblems(items, events),
      ...(due.join() === came.join()
        ? []
        : [`others were told "${came[first] ?? 'nothing'}" instead of "${due[first] ?? 'nothing'}"`]),
      ...untold.map((one) => `nobody was told that ${one} was rejected`),
      ...(new Set(ofUploads).size < ofUploads.length ? ['a rejected upload was told of under two ids'] : []),
    ];
  }

  #answered(key: string): void {
    const [, folder, versionId] = /^rejected\/orders\/([^/]+)\/.*\/([^/]+)\.json$/.exec(key) ?? [];
    if (folder !== undefined && versionId !== undefined) this.#seen(folder).rejected.add(versionId);
  }

  #record(item: Record<string, AttributeValue>): void {
    if (item.item?.S !== 'order') return;
    const seen = this.#seen(item.orderRef?.S ?? '');
    const now = unmarshall(picked(item)) as Item;
    const { last, due, problems } = seen;
    seen.last = now;
    due.push(...linesDue(last, now).map((line, position) => `${due.length + position + 1} ${line}`));
    const { eventCount = 0 } = now;
    if (eventCount !== due.length) problems.push(`its record counts ${eventCount} events after ${due.length} changes`);
  }

  #tell(event: ToldEvent): void {
    const { id, orderRef = '', sequence } = event.detail;
    const seen = this.#seen(orderRef);
    if (sequence !== undefined && sequence > seen.due.length)
      seen.problems.push(`${id} was told before it was recorded`);
    const before = seen.told.get(id);
    if (before && textOf(before) !== textOf(event)) seen.problems.push(`${id} was told twice, and differently`);
    seen.told.set(id, event);
  }

  #seen(orderRef: string): Seen {
    const seen = this.#orders.get(orderRef) ?? { due: [], told: new Map(), rejected: new Set(), problems: [] };
    this.#orders.set(orderRef, seen);
    return seen;
  }
}

/** The statuses that others were told are in the timeline. A step that was interrupted has left one there that was never recorded. */
function timelineProblems(items: OrderItems, told: readonly ToldEvent[]): string[] {
  const statuses = told.flatMap(({ detail }) => (detail.previousStatus === undefined ? [] : [String(detail.status)]));
  const lines = items.filter(({ item }) => item.startsWith('event#')).map(({ what }) => String(what));
  const shown = lines.filter((what) => what.startsWith('Status ')).map((what) => what.replace('Status ', ''));
  let at = 0;
  for (const one of shown) if (one === statuses[at]) at += 1;
  return at === statuses.length ? [] : [`others were told ${statuses}, but its timeline shows ${shown}`];
}

function picked(item: Record<string, AttributeValue>): Record<string, AttributeValue> {
  return Object.fromEntries(FACTS.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));
}

/** A rejected upload may be found again, at another time. */
function textOf({ type, detail: { at, ...others } }: ToldEvent): string {
  return JSON.stringify([type, type === 'Upload Rejected' ? undefined : at, others]);
}

function lineOf({ type, detail }: ToldEvent): string {
  const { sequence, status, previousStatus, end, round, generation } = detail;
  const facts = { status, previousStatus, end, round, generation };
  return [sequence, type, ...Object.values(facts).filter((fact) => fact !== undefined)].join(' ');
}

/** What others must be told of two states of the record, one after the other. */
function linesDue(last: Item | undefined, now: Item): string[] {
  const { status, failure, generation, redrives, awaited, remindedFor } = now;
  const lines: string[] = [];
  if (status !== last?.status) lines.push(['Order Status Changed', status, last?.status].filter(Boolean).join(' '));
  if (status !== last?.status && isFinal(status)) lines.push(`Order Ended ${status}`);
  const isAskedAgain = awaited?.what === last?.awaited?.what && awaited?.round === last?.awaited?.round;
  if (awaited?.what === 'decision' && !isAskedAgain) lines.push('Decision Requested');
  if (awaited?.what === 'signatures' && !(isAskedAgain && awaited.page === last?.awaited?.page))
    lines.push(`Signatures Requested ${awaited.round}`);
  if (remindedFor !== last?.remindedFor) lines.push('Deadline Near');
  const isNewFailure = failure && (!last?.failure || last.generation !== generation || last.redrives !== redrives);
  if (isNewFailure && !isFinal(status)) lines.push(`Order Failed ${generation}`);
  if (!failure && last?.failure) lines.push(`Order Resumed ${generation}`);
  return lines;
}
