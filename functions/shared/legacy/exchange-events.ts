import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { clientDefaults } from '../aws/aws-client.ts';
import { environment } from '../environment.ts';
import { ServiceUnavailable } from '../errors.ts';

const client = new EventBridgeClient(clientDefaults);

/** What EventBridge takes in one call. */
const MOST_ENTRIES = 10;

export type ExchangeEvent = 'Legacy request received' | 'Legacy request changed' | 'Legacy tax numbers received';

/**
 * Tells whoever listens on the default bus, source `loan-orders.legacy`, at least once: where the staged file is, never what is in it.
 * @throws ServiceUnavailable when EventBridge did not take them all: the step can be run again.
 */
export async function publish(event: ExchangeEvent, details: Record<string, unknown>[]): Promise<void> {
  const common = { stage: environment('STAGE'), bucket: environment('STAGING_BUCKET') };
  for (let first = 0; first < details.length; first += MOST_ENTRIES) {
    const entries = details.slice(first, first + MOST_ENTRIES).map((detail) => ({
      Source: 'loan-orders.legacy',
      DetailType: event,
      Detail: JSON.stringify({ ...common, ...detail }),
    }));
    const { FailedEntryCount = 0 } = await client.send(new PutEventsCommand({ Entries: entries }));
    if (FailedEntryCount === 0) continue;
    throw new ServiceUnavailable(`EventBridge did not take ${FailedEntryCount} events. The step can be run again.`);
  }
}
