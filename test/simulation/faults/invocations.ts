import type { DeliveryWrapper, InvocationResult, InvokeWrapper } from '@business-loan-orders/embedded-aws';
import { withReadsBefore } from '../../helpers/hand-over.ts';
import { orderAt, restoreLastRead } from '../world/references.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';
import { Tally } from '../world/tally.ts';
import type { Interruptions } from './interruptions.ts';

const readers = new Set(['read-order', 'accept-order', 'confirm-offer']);

export function invocations(world: SimulatedWorld, interruptions: Interruptions): InvokeWrapper {
  const { plans, simulator, clock, tokens, witness } = world;
  return async (name, event, invoke) => {
    const functionName = name.slice('loan-orders-local-'.length);
    const orderRef = orderOf(eventIn(event as EventOfOrder));
    if (functionName === 'sweep-orders') return countSweep(world, await invoke());
    if (orderRef === undefined) return invoke();
    const order = orderAt(simulator, orderRef);
    const lastRead = order?.lastRead;
    const { taskToken } = event as EventOfOrder;
    if (taskToken !== undefined) tokens.set(taskToken, orderRef);
    const begun = clock.now();
    const handOverAfter = functionName === 'read-order' ? plans.get(orderRef)?.handOverAfter : undefined;
    const { result, couldNotRecordRead } = await interruptions.run(orderRef, functionName, (killed) =>
      invoke(handOverAfter === undefined ? event : withReadsBefore(event, handOverAfter), killed),
    );
    // A read counts as not made if the function was killed or could not record it (docs/assumptions.md).
    const isForgotten = brokeOff(result) || (couldNotRecordRead && result.functionError !== undefined);
    if (order && readers.has(functionName) && isForgotten) restoreLastRead(order, lastRead);
    if (order && functionName === 'upload-signature' && !result.functionError) {
      const step = event as { orderRef: string; position: number };
      witness.signatureSent(order, step, world.uploads.acts(orderRef).signatures, begun);
    }
    return result;
  };
}

function countSweep({ operated }: SimulatedWorld, result: InvocationResult): InvocationResult {
  const found = result.functionError ? { 'did not end': 1 } : (JSON.parse(result.payload) as Record<string, number>);
  for (const [what, times] of Object.entries(found))
    if (what !== 'looked' && times > 0) operated.add(`sweep: ${what}`, times);
  return result;
}

function brokeOff({ functionError, payload }: InvocationResult): boolean {
  if (!functionError) return false;
  const { errorType } = JSON.parse(payload) as { errorType?: string };
  return errorType === 'Runtime.ExitError' || errorType === 'Sandbox.Timedout';
}

export function deliveries({ plans, clock, injected }: SimulatedWorld): DeliveryWrapper {
  const seen = new Tally();
  return (event, deliver) => {
    const detail = event.detail as NonNullable<EventOfOrder['detail']>;
    const orderRef = orderOf({ detail }) ?? '';
    const position = seen.add(orderRef);
    const { lostEvent, deliveries: planned = [] } = plans.get(orderRef) ?? {};
    // Of S3 only events of signatures and decisions are lost. Both deliver at least once, but a rule may be disabled for a while.
    const mayBeLost =
      event.source === 'aws.states' || /\/(signatures\/|decision\.json$)/.test(detail.object?.key ?? '');
    if (lostEvent !== undefined && mayBeLost && seen.add(`${orderRef} from ${event.source}`) === lostEvent) {
      injected.add('event: lost');
      return;
    }
    const copies = planned.find((delivery) => delivery.position === position);
    if (!copies) return deliver();
    for (const [copy, delay] of copies.delays.entries()) {
      if (copy > 0) injected.add('event: delivered again');
      if (delay > 0) injected.add('event: late, after others');
      clock.setTimeout(deliver, delay * 1000);
    }
  };
}

interface EventOfOrder {
  /** Of a batch from a queue. */
  Records?: { body: string }[];
  taskToken?: string;
  orderRef?: string;
  detail?: { object?: { key: string }; input?: string };
}

/** The event itself. A queue passes events on one by one (infra/constructs/event-queue.ts). */
function eventIn(event: EventOfOrder): EventOfOrder {
  const [record, ...others] = event.Records ?? [];
  if (others.length > 0) throw new Error('A batch holds several events: faults cannot tell their orders apart.');
  return record ? (JSON.parse(record.body) as EventOfOrder) : event;
}

function orderOf({ orderRef, detail }: EventOfOrder): string | undefined {
  if (orderRef !== undefined) return orderRef;
  if (detail?.object) return detail.object.key.split('/')[1];
  return (JSON.parse(detail?.input ?? '{}') as { orderRef?: string }).orderRef;
}
