import type { LocalAws } from '@business-loan-orders/embedded-aws';

/** Calls a JSON operation of the embedded AWS for which the project has no SDK client. Throws if the answer is an error. */
export async function callAws(aws: LocalAws, target: string, input: object): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target };
  const response = await fetch(aws.endpoint, { method: 'POST', headers, body: JSON.stringify(input) });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${target}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Invokes a function with an event asynchronously, as EventBridge does. */
export async function invokeWithEvent(aws: LocalAws, functionName: string, event: unknown): Promise<void> {
  const url = `${aws.endpoint}/2015-03-31/functions/${functionName}/invocations`;
  const headers = { 'x-amz-invocation-type': 'Event' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(event) });
  if (response.status !== 202) throw new Error(`${functionName}: ${response.status} ${await response.text()}`);
}
