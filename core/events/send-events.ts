import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { clientDefaults } from '../aws/aws-client.ts';
import { stackSettings } from '../settings.ts';
import { EVENT_SOURCE, type StoredEvent } from './order-event.ts';

/** Milliseconds. Short, because the caller has other work, and unsent events are sent later. */
const LIMITS = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true };

const client = new EventBridgeClient({ ...clientDefaults, requestHandler: LIMITS, maxAttempts: 2 });

/** EventBridge's limit for one request. */
const MOST_ENTRIES = 10;

/**
 * Sends events to the bus of the stage, in their order. After a request that failed as a whole, sends no more.
 * @returns the events that EventBridge did not accept, in their order, and the name of the first error if there are any.
 */
export async function sendEvents(
  events: readonly StoredEvent[],
): Promise<{ left: StoredEvent[]; error?: string | undefined }> {
  const left: StoredEvent[] = [];
  let error: string | undefined;
  for (let first = 0; first < events.length; first += MOST_ENTRIES) {
    const some = events.slice(first, first + MOST_ENTRIES);
    try {
      const { Entries = [] } = await client.send(new PutEventsCommand({ Entries: some.map(entryOf) }));
      left.push(...some.filter((_, position) => Entries[position]?.EventId === undefined));
      error ??= Entries.find(({ ErrorCode }) => ErrorCode !== undefined)?.ErrorCode;
    } catch (failure) {
      return { left: [...left, ...events.slice(first)], error: error ?? (failure as Error).name };
    }
  }
  return { left, error };
}

const entryOf = ({ type, detail }: StoredEvent) => ({
  EventBusName: stackSettings.eventBus,
  Source: EVENT_SOURCE,
  DetailType: type,
  Time: new Date(detail.at),
  Detail: JSON.stringify({ ...detail, stage: stackSettings.stage }),
});
