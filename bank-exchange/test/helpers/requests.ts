import type { AwsRequest, RequestFault } from '@business-loan-orders/embedded-aws';

/** An event that the exchange put on the default event bus. */
export interface PublishedEvent {
  type: string;
  detail: Record<string, unknown>;
}

/** Makes the next `left` requests of this operation fail, if their path or body contains `part`. */
export interface AwsFailure {
  operation: string;
  part: string;
  left: number;
}

/** The fault of this request, if one is due. */
export function failNext(failures: AwsFailure[], { operation, path, body }: AwsRequest): RequestFault | undefined {
  const due = failures.find(
    (one) => one.left > 0 && one.operation === operation && `${path}${body}`.includes(one.part),
  );
  if (due) due.left -= 1;
  return due && { status: 500, code: 'InternalServerError' };
}

/** The events in a PutEvents request. */
export function eventsIn(body: string): PublishedEvent[] {
  const { Entries } = JSON.parse(body) as { Entries: { DetailType: string; Detail: string }[] };
  return Entries.map(({ DetailType, Detail }) => ({ type: DetailType, detail: JSON.parse(Detail) }));
}
