import type { AwsRequest, RequestFault } from '../../local/aws/index.ts';

/** An event of the exchange on the default bus. */
export interface PublishedEvent {
  type: string;
  detail: Record<string, unknown>;
}

/** What AWS does not do the next `left` times that it is asked for. */
export interface AwsFailure {
  operation: string;
  part: string;
  left: number;
}

/** What the request is answered with in place of AWS, if a failure of it is due. */
export function failNext(failures: AwsFailure[], { operation, path, body }: AwsRequest): RequestFault | undefined {
  const due = failures.find(
    (one) => one.left > 0 && one.operation === operation && `${path}${body}`.includes(one.part),
  );
  if (due) due.left -= 1;
  return due && { status: 500, code: 'InternalServerError' };
}

/** The events that a request puts on the bus. */
export function eventsIn(body: string): PublishedEvent[] {
  const { Entries } = JSON.parse(body) as { Entries: { DetailType: string; Detail: string }[] };
  return Entries.map(({ DetailType, Detail }) => ({ type: DetailType, detail: JSON.parse(Detail) }));
}
