import { expect, test } from 'vitest';
import { loggable, type OrderError } from '../../core/errors.ts';
import { answering } from '../helpers/listening.ts';
import { clientAt, fixedToken } from '../helpers/order-service-client.ts';

const INN = '7707083893';
const PERSON = `Ivanov Ivan, INN ${INN}`;

/** What each failure of an answer with this header shows to logs, the record and the timeline. */
async function shown(status: number, header: string, value: string): Promise<string> {
  const address = await answering((request, response) => {
    request.resume().on('end', () => response.writeHead(status, { [header]: value }).end(Buffer.from('"é"', 'latin1')));
  });
  const client = clientAt(address, fixedToken);
  const calls = [client.readOrder('o'), client.createOrder('{}'), client.downloadDocument('o', 'f')];
  const made = await Promise.allSettled(calls);
  const reasons = made.flatMap((one): OrderError[] => (one.status === 'rejected' ? [one.reason] : []));
  return JSON.stringify(reasons.map(({ message, call }) => [message, loggable(call)]));
}

test.each<[string, string]>([
  ...['x-request-id', 'retry-after', 'location', 'content-encoding', 'www-authenticate'].map(
    (header): [string, string] => [header, PERSON],
  ),
  ['content-type', `application/json; charset="Ivanov-${INN}="`],
])('a person in %s is not shown', async (header, value) => {
  for (const status of [200, 302, 403, 409, 429, 503]) expect(await shown(status, header, value)).not.toContain(INN);
});

test("the service's ID of a request is shown", async () => {
  expect(await shown(409, 'x-request-id', 'Req_1:2.3-4')).toContain('"requestReference":"Req_1:2.3-4"');
});
