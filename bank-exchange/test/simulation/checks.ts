import type { BatchItem, InnBatch } from '../../core/inn-batch.ts';
import type { RequestItem } from '../../core/received-requests.ts';
import type { ExchangeBook } from '../../simulator/book.ts';
import type { Bank } from './bank.ts';

/** Everything known after the run, from our side and from the service. */
export interface ExchangeEvidence {
  bank: Pick<Bank, 'statuses' | 'numbers' | 'offers' | 'unknown'>;
  service: Pick<ExchangeBook, 'requests' | 'statuses' | 'offers'>;
  requests: readonly RequestItem[];
  batches: readonly (BatchItem & { staged: InnBatch })[];
  /** The staged text of every request, by its identifier. */
  stagedRequests: ReadonlyMap<string, string | undefined>;
}

/** Every violation, each in a sentence. */
export function checkExchange(evidence: ExchangeEvidence): string[] {
  return [
    ...requestProblems(evidence),
    ...statusProblems(evidence),
    ...numberProblems(evidence),
    ...offerProblems(evidence),
  ];
}

function requestProblems({ service, requests, stagedRequests }: ExchangeEvidence): string[] {
  const recorded = Map.groupBy(requests, ({ requestId }) => requestId);
  return service.requests().flatMap((request) => {
    const { requestId } = request;
    const times = recorded.get(requestId)?.length ?? 0;
    if (times !== 1) return [`request ${requestId} is recorded ${times} times`];
    const text = stagedRequests.get(requestId);
    return text === JSON.stringify(request) ? [] : [`request ${requestId} is not staged as the service sent it`];
  });
}

/** A status may be sent again. But the last one that the bank uploaded must also be the last one that arrived. */
function statusProblems({ bank, service }: ExchangeEvidence): string[] {
  const taken = Map.groupBy(service.statuses(), ({ requestId }) => requestId);
  return [...bank.statuses].flatMap(([requestId, uploaded]) => {
    const last = taken.get(requestId)?.at(-1)?.body;
    const same = JSON.stringify(last) === JSON.stringify(JSON.parse(uploaded));
    return same ? [] : [`the last status of request ${requestId} at the service is not the last one uploaded`];
  });
}

function numberProblems({ bank, batches }: ExchangeEvidence): string[] {
  const staged = Map.groupBy(
    batches.flatMap(({ staged: { numbers } }) => numbers),
    (number) => number,
  );
  const wrong = [...staged.keys()].filter((number) => !bank.numbers.includes(number));
  return [
    ...bank.numbers.flatMap((number, position) => {
      const times = staged.get(number)?.length ?? 0;
      return times === 1 ? [] : [`tax number ${position + 1} is in ${times} batches`];
    }),
    ...wrong.map((_number, position) => `invalid tax number ${position + 1} is in a batch`),
  ];
}

function offerProblems({ bank, service, batches }: ExchangeEvidence): string[] {
  const taken = service.offers().map(({ offers }) => offers.map(({ inn }) => inn).join());
  return batches.flatMap(({ batch, staged }) => {
    const times = taken.filter((numbers) => numbers === staged.numbers.join()).length;
    const uploaded = bank.offers.get(batch) ?? 0;
    if (times > uploaded)
      return [`the offers of batch ${batch} arrived ${times} times and were uploaded ${uploaded} times`];
    return times === 0 && !bank.unknown.has(batch) ? [`the offers of batch ${batch} never arrived`] : [];
  });
}
