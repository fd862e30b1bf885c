import type { OrderTable } from '../../core/aws/order-table.ts';
import {
  COUNT_ITEM,
  KINDS,
  LINE_PREFIX,
  linesOf,
  REJECTED,
  type RejectedCount,
  type RejectedKind,
  type RejectedLine,
} from '../../core/people/rejected-line.ts';

/** The list of rejected uploads. */
export interface RejectedList {
  lines: RejectedLine[];
  /** How many uploads of each kind the list has no line for, because it was full. */
  notListed: Record<RejectedKind, number>;
}

/** Reads the list of rejected uploads, which is one record of the order table. */
export class RejectedUploads {
  readonly #table: OrderTable;

  constructor(table: OrderTable) {
    this.#table = table;
  }

  /** Everything that was rejected. */
  async list(): Promise<RejectedList> {
    const items = await this.#itemsFrom('');
    const count = items.find(({ item }) => item === COUNT_ITEM) as RejectedCount | undefined;
    const notListed = Object.fromEntries(KINDS.map((kind) => [kind, count?.[`more-${kind}`] ?? 0]));
    return {
      lines: items.filter(({ item }) => item.startsWith(LINE_PREFIX)) as RejectedLine[],
      notListed: notListed as RejectedList['notListed'],
    };
  }

  /** What was rejected in the folder of an order. */
  async inFolder(orderRef: string): Promise<RejectedLine[]> {
    return (await this.#itemsFrom(linesOf(orderRef))) as RejectedLine[];
  }

  async #itemsFrom(prefix: string): Promise<(RejectedLine | RejectedCount)[]> {
    return this.#table.queryItems(REJECTED, prefix);
  }
}
