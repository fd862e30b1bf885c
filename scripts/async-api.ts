import * as z from 'zod/mini';
import { EVENT_VERSION, type EventType, eventSchemas } from '../core/events/event-schemas.ts';
import { EVENT_SOURCE } from '../core/events/order-event.ts';

const DIALECT = 'http://json-schema.org/draft-07/schema#';

/** The properties that EventBridge adds around an event's detail. */
const ENVELOPE = {
  version: { const: '0' },
  id: { type: 'string', description: 'Assigned by EventBridge. It differs when an event is repeated: use detail.id.' },
  source: { const: EVENT_SOURCE },
  account: { type: 'string' },
  time: { type: 'string', format: 'date-time', description: 'detail.at, without its fraction of a second.' },
  region: { type: 'string' },
  resources: { type: 'array', items: { type: 'string' } },
};

/** The name of an event's schema and message, such as `OrderStatusChanged`. */
export const messageName = (type: string): string => type.replaceAll(' ', '');

/** The JSON Schema of a whole event, as a rule's target receives it. Consumers must ignore unknown properties. */
function eventSchema(type: EventType): object {
  const { $schema: _dialect, ...detail } = z.toJSONSchema(eventSchemas[type], { target: 'draft-7', io: 'input' });
  const properties = { ...ENVELOPE, 'detail-type': { const: type }, detail };
  return {
    $schema: DIALECT,
    title: `${type}, version ${EVENT_VERSION}`,
    type: 'object',
    required: Object.keys(properties),
    properties,
  };
}

export function asyncApi() {
  const types = Object.keys(eventSchemas) as EventType[];
  const byName = <Value>(of: (type: EventType) => Value): Record<string, Value> =>
    Object.fromEntries(types.map((type) => [messageName(type), of(type)]));
  const reference = (path: string) => ({ $ref: `#/${path}` });
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Events of business-loan orders',
      version: `${EVENT_VERSION}.0.0`,
      description:
        'Each change of an order is one event. It may arrive late, and more than once with the same detail.id. detail.sequence ' +
        'numbers the events of an order without gaps. Events contain only references. See docs/events.md.',
    },
    defaultContentType: 'application/json',
    channels: {
      orders: {
        address: 'loan-orders-{stage}',
        title: 'The EventBridge bus of a stage',
        parameters: { stage: { description: 'The stage.' } },
        messages: byName((type) => reference(`components/messages/${messageName(type)}`)),
      },
    },
    operations: {
      publishOrderEvents: { action: 'send', channel: reference('channels/orders'), summary: 'Publishes order events.' },
    },
    components: {
      messages: byName((type) => ({
        name: type,
        title: type,
        summary: z.globalRegistry.get(eventSchemas[type])?.description ?? type,
        payload: reference(`components/schemas/${messageName(type)}`),
      })),
      schemas: byName(eventSchema),
    },
  };
}
