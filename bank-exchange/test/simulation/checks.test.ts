import { expect, test } from 'vitest';

import type { BatchItem, InnBatch } from '../../core/inn-batch.ts';
import type { RequestItem } from '../../core/received-requests.ts';
import type { ExchangeRequest } from '../../simulator/book.ts';
import { checkExchange, type ExchangeEvidence } from './checks.ts';

const request = { requestId: 'request-1', fileName: 'application-1.zip' } as ExchangeRequest;
const numbers = ['7707083893', '7830002293'];
const batch = { batch: 'batch-1', staged: { numbers } } as unknown as BatchItem & { staged: InnBatch };
const issued = { newStatus: 'issued', loanAmount: 1, loanTerm: 12 };

/** The evidence of an exchange without violations, except for the given changes. */
function evidence(
  change: {
    requests?: string[];
    text?: string;
    statuses?: object[];
    batches?: (typeof batch)[];
    offers?: number;
    unknown?: string[];
  } = {},
): ExchangeEvidence {
  const { requests = ['request-1'], text = JSON.stringify(request), statuses = [issued] } = change;
  const { batches = [batch], offers = 1, unknown = [] } = change;
  return {
    bank: {
      statuses: new Map([['request-1', JSON.stringify(issued)]]),
      numbers,
      offers: new Map([['batch-1', 1]]),
      unknown: new Set(unknown),
    },
    service: {
      requests: () => [request],
      statuses: () => statuses.map((body) => ({ requestId: 'request-1', body: { ...body }, at: 0 })),
      offers: () => Array.from({ length: offers }, () => ({ offers: numbers.map((inn) => ({ inn })), at: 0 })),
    },
    requests: requests.map((requestId) => ({ requestId }) as RequestItem),
    batches,
    stagedRequests: new Map([['request-1', text]]),
  };
}

test('the checks find no violation in an exchange that went well', () => {
  expect(checkExchange(evidence())).toEqual([]);
});

test('a repeated status and missing offers of unknown outcome are no violations', () => {
  expect(checkExchange(evidence({ statuses: [{ newStatus: 'inProgress' }, issued, issued] }))).toEqual([]);
  expect(checkExchange(evidence({ offers: 0, unknown: ['batch-1'] }))).toEqual([]);
});

test.each([
  ['a request that was lost', { requests: [] }, 'request request-1 is recorded 0 times'],
  [
    'a request that is recorded twice',
    { requests: ['request-1', 'request-1'] },
    'request request-1 is recorded 2 times',
  ],
  [
    'a request that is staged with other content',
    { text: '{}' },
    'request request-1 is not staged as the service sent it',
  ],
  ['a status that was lost', { statuses: [] }, 'the last status of request request-1'],
  [
    'statuses out of order',
    { statuses: [issued, { newStatus: 'inProgress' }] },
    'the last status of request request-1',
  ],
  ['tax numbers that were lost', { batches: [], offers: 0 }, 'tax number 1 is in 0 batches'],
  ['tax numbers in two batches', { batches: [batch, { ...batch, batch: 'batch-2' }] }, 'tax number 1 is in 2 batches'],
  [
    'an invalid tax number in a batch',
    { batches: [{ ...batch, staged: { ...batch.staged, numbers: [...numbers, '1234567890'] } }] },
    'invalid tax number 1 is in a batch',
  ],
  ['offers that were lost', { offers: 0 }, 'the offers of batch batch-1 never arrived'],
  ['offers that arrived twice', { offers: 2 }, 'the offers of batch batch-1 arrived 2 times and were uploaded 1 times'],
])('the checks find %s', (_name, change, problem) => {
  expect(checkExchange(evidence(change))).toContainEqual(expect.stringContaining(problem));
});
