import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { clientDefaults } from '../../core/aws/aws-client.ts';
import { ServiceUnavailable } from '../../core/errors.ts';
import { stackSettings } from '../../core/settings.ts';
import { EVENT_SOURCE } from './settings.ts';

const client = new EventBridgeClient(clientDefaults);

/** EventBridge's limit for one call. */
const MAX_ENTRIES = 10;

export type ExchangeEvent = 'Legacy request received' | 'Legacy request changed' | 'Legacy tax numbers received';

/**
 * Publishes events on the default bus, each at least once. They say where a staged file is,
 * never what is in it.
 * @throws ServiceUnavailable if EventBridge did not accept all of them.
 */
export async function publish(event: ExchangeEvent, details: Record<string, unknown>[]): Promise<void> {
  const common = { stage: stackSettings.stage, bucket: stackSettings.stagingBucket };
  for (let first = 0; first < details.length; first += MAX_ENTRIES) {
    const entries = details.slice(first, first + MAX_ENTRIES).map((detail) => ({
      Source: EVENT_SOURCE,
      DetailType: event,
      Detail: JSON.stringify({ ...common, ...detail }),
    }));
    const { FailedEntryCount = 0 } = await client.send(new PutEventsCommand({ Entries: entries }));
    if (FailedEntryCount === 0) continue;
    throw new ServiceUnavailable(`EventBridge did not accept ${FailedEntryCount} events. The step can be run again.`);
  }
}
