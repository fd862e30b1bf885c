import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientDefaults, withoutLog } from '../../core/aws/aws-client.ts';
import { RecordTable } from '../../core/aws/record-table.ts';
import { resourceSettings } from './settings.ts';

/** The table of the bank exchange. Its partition key `subject` is the exchange itself, a request, an upload or the token. */
export const exchangeTable = new RecordTable(
  withoutLog(new DynamoDBClient(clientDefaults)),
  () => resourceSettings.table,
  'subject',
);

/** The subject of items about the whole exchange: its runs, and until when the service asked us to back off. */
export const EXCHANGE = 'exchange';
