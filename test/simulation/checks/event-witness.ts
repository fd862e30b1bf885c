import type { Change } from '../../../local/aws/index.ts';

interface Told {
  /** The statuses that the record had, one after the other. */
  statuses: string[];
  /** How many events the record has had. */
  count: number;
  /** The events that came, by their sequence. */
  events: Map<number, { status: unknown; text: string }>;
  problems: string[];
}

/** Watches the record and the event bus: one event for each change, none lost, none before its change. */
export class EventWitness {
  readonly #orders = new Map<string, Told>();

  readonly onChange = (change: Change): void => {
    if (change.type === 'item') this.#record(change.item as Record<string, { S?: string; N?: string } | undefined>);
    else if (change.type === 'event' && change.event.source === 'loan-orders') {
      this.#tell(String(change.event['detail-type']), change.event.detail as Record<string, unknown>);
    }
  };

  /** @returns what is wrong, once everything was sent. */
  problems(orderRef: string): string[] {
    const { statuses, count, events, problems } = this.#told(orderRef);
    const missing = Array.from({ length: count }, (_, position) => position + 1).filter((one) => !events.has(one));
    const told = [...events.entries()].sort(([one], [other]) => one - other).map(([, { status }]) => status);
    const toldStatuses = told.filter((status) => status !== undefined);
    const isSame = JSON.stringify(toldStatuses) === JSON.stringify(statuses);
    return [
      ...problems,
      ...missing.map((sequence) => `its event ${sequence} of ${count} was lost`),
      ...(isSame ? [] : [`its statuses were ${statuses.join(', ')}, but others were told ${toldStatuses.join(', ')}`]),
    ];
  }

  #record({ orderRef, item, status, eventCount }: Record<string, { S?: string; N?: string } | undefined>): void {
    if (item?.S !== 'order' || orderRef?.S === undefined) return;
    const told = this.#told(orderRef.S);
    if (status?.S !== undefined && status.S !== told.statuses.at(-1)) told.statuses.push(status.S);
    const count = Number(eventCount?.N ?? 0);
    if (count < told.count) told.problems.push(`its record counted ${told.count} events, and then ${count}`);
    told.count = count;
  }

  #tell(type: string, { orderRef, sequence, status, ...others }: Record<string, unknown>): void {
    if (typeof orderRef !== 'string' || typeof sequence !== 'number') return;
    const told = this.#told(orderRef);
    if (sequence > told.count) told.problems.push(`its event ${sequence} was told before it was recorded`);
    const text = JSON.stringify({ type, status, ...others });
    const before = told.events.get(sequence);
    if (before && before.text !== text) told.problems.push(`two different events have the sequence ${sequence}`);
    told.events.set(sequence, { status, text });
  }

  #told(orderRef: string): Told {
    const told = this.#orders.get(orderRef) ?? { statuses: [], count: 0, events: new Map(), problems: [] };
    this.#orders.set(orderRef, told);
    return told;
  }
}
