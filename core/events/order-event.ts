import type * as z from 'zod/mini';
import type { EventType, eventSchemas } from './event-schemas.ts';

type Detail<Type extends EventType> = z.infer<(typeof eventSchemas)[Type]>;
/** The fields that the outbox adds to an event. */
type Added = 'version' | 'id' | 'stage' | 'at' | 'sequence';

/** An event without the fields that the outbox adds. */
export type OrderChange = {
  [Type in Exclude<EventType, 'Upload Rejected'>]: { type: Type } & Omit<Detail<Type>, Added | 'orderRef' | 'orderId'>;
}[Exclude<EventType, 'Upload Rejected'>];

/** An event in the outbox. When it is sent, only the stage is added. */
export interface StoredEvent {
  type: EventType;
  detail: Record<string, unknown> & { id: string; at: string };
}

/** The version of what this release writes: `EVENT_VERSION`, without the library of the schemas. */
export const VERSION: typeof import('./event-schemas.ts')['EVENT_VERSION'] = 1;

export const EVENT_SOURCE = 'loan-orders';
