import { RecordTable } from '../aws/record-table.ts';

/** The table of the bank exchange. Every item belongs to a subject: the exchange itself, a request, a batch, an upload. */
export const exchangeTable = new RecordTable('EXCHANGE_TABLE', 'subject');

/** What concerns the exchange as a whole: its runs, and until when the service wants to be left alone. */
export const EXCHANGE = 'exchange';
