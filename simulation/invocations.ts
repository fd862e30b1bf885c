import type { InvocationResult, InvokeWrapper } from '../local/aws/index.ts';
import type { Kills } from './kills.ts';
import { type References, restoreLastRead } from './references.ts';

export interface InvocationsOptions {
  kills: Kills;
  references: References;
  /** An execution of the order ended without success, and its record says so. */
  onEnd(orderRef: string): void;
}

/** Functions that read the order. */
const readers = new Set(['read-order', 'accept-order', 'confirm-offer']);

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
    // A read whose answer the function did not live to keep told us nothing (docs/assumptions.md). One that fails otherwise has it.
    if (order && readers.has(functionName) && brokeOff(result)) restoreLastRead(order, lastRead);
    if (functionName === 'record-end' && !result.functionError) this.#options.onEnd(orderRef);
    return result;
  };
}

/** Whether the function was killed, or ran out of time. */
function brokeOff({ functionError, payload }: InvocationResult): boolean {
  if (!functionError) return false;
  const { errorType } = JSON.parse(payload) as { errorType?: string };
  return errorType === 'Runtime.ExitError' || errorType === 'Sandbox.Timedout';
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
