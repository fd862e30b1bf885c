import type { InvokeWrapper } from '../local/aws/index.ts';
import type { Kills } from './kills.ts';
import { type References, restoreLastRead } from './references.ts';

export interface InvocationsOptions {
  kills: Kills;
  references: References;
  /** An execution of the order ended without success, and its record says so. */
  onEnd(orderRef: string): void;
}

/** Knows which order every invocation of a function is for. */
export class Invocations {
  readonly #options: InvocationsOptions;

  constructor(options: InvocationsOptions) {
    this.#options = options;
  }

  readonly wrapper: InvokeWrapper = async (name, event, invoke) => {
    const functionName = name.slice('loan-orders-local-'.length);
    const orderRef = orderOf(event as EventOfOrder);
    if (orderRef === undefined) return invoke();
    const order = this.#options.references.order(orderRef);
    const lastRead = order?.lastRead;
    const result = await this.#options.kills.run(orderRef, functionName, (killed) => invoke(event, killed));
    // A read that the function could not finish told us nothing: neither can it be too early for the next one.
    if (result.functionError && order) restoreLastRead(order, lastRead);
    if (functionName === 'record-end' && !result.functionError) this.#options.onEnd(orderRef);
    return result;
  };
}

interface EventOfOrder {
  orderRef?: string;
  detail?: { object?: { key: string }; input?: string };
}

/** A step of a state machine names its order; an event names an object in intake, or the input of an execution. */
function orderOf({ orderRef, detail }: EventOfOrder): string | undefined {
  if (orderRef !== undefined) return orderRef;
  if (detail?.object) return detail.object.key.split('/')[1];
  return (JSON.parse(detail?.input ?? '{}') as { orderRef?: string }).orderRef;
}
