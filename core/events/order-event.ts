import type * as z from 'zod/mini';
import type { EventType, eventSchemas } from './event-schemas.ts';

type Detail<Type extends EventType> = z.infer<(typeof eventSchemas)[Type]>;
/** What the outbox adds to the facts of an event. */
type Added = 'version' | 'id' | 'stage' | 'at' | 'sequence';

/** What has changed, without what the outbox adds. */
export type OrderChange = {
  [Type in Exclude<EventType, 'Upload Rejected'>]: { type: Type } & Omit<Detail<Type>, Added | 'orderRef' | 'orderId'>;
}[Exclude<EventType, 'Upload Rejected'>];

/** An event in the outbox, as it is sent. Only the stage is added then. */
export interface StoredEvent {
  type: EventType;
  detail: Record<string, unknown> & { id: string; at: string };
}

/** The version of what this release writes: `EVENT_VERSION`, without the library of the schemas. */
export const VERSION: typeof import('./event-schemas.ts')['EVENT_VERSION'] = 1;

export const EVENT_SOURCE = 'loan-orders';
