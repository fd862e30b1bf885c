import type { OrderTable } from '../../core/aws/order-table.ts';
import { allOf } from '../../core/aws/record-table.ts';
import { BY_WAITING } from '../../core/order/order-item.ts';
import { PAUSE_KEY, type StagePause } from '../../core/order/stage-pause.ts';

/** The pause of a stage. The table keeps the last one. */
export class Pauses {
  readonly #table: OrderTable;

  constructor(table: OrderTable) {
    this.#table = table;
  }

  /** The last pause, which may be over. */
  async find(): Promise<StagePause | undefined> {
    return this.#table.getItem<StagePause>(PAUSE_KEY);
  }

  /** Pauses the stage. Returns false if it is paused already. */
  async begin(pause: StagePause): Promise<boolean> {
    return this.#table.putItem(
      { ...PAUSE_KEY, ...pause },
      'attribute_not_exists(since) OR attribute_exists(resumedAt)',
    );
  }

  /** Ends this pause. Returns false if it has been ended. */
  async end({ since }: StagePause, end: Required<Pick<StagePause, 'resumedAt' | 'resumedBy' | 'goOnSeconds'>>) {
    return this.#table.updateItem(PAUSE_KEY, end, 'since = :since AND attribute_not_exists(#resumedAt)', {
      ':since': since,
    });
  }

  /** How many orders wait for the service, as it was up to some seconds ago. */
  async ordersForService(): Promise<number> {
    return (await allOf(this.#table.queryIndex(BY_WAITING, 'openFor', 'service'))).length;
  }
}
