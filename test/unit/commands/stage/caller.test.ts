import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { HttpRequest } from '@smithy/core/protocols';
import { expect, test } from 'vitest';
import { deciderOf } from '../../../../commands/stage/caller.ts';
import { clientSettings } from '../../../../commands/stage/place.ts';
import { parseDecision } from '../../../../functions/shared/offers/decision-schema.ts';

const MEMBERS = 'choices decidedBy';
const PLACE = { stage: 'prod' };
const identity = (arn: string) =>
  `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>${arn}</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>`;

/** A client whose calls are answered by `answer`, and the requests that it sent. */
function clientOf(answer: () => { statusCode: number; body: string }, region = 'eu-central-1') {
  const sent: HttpRequest[] = [];
  const handle = async (request: HttpRequest) => {
    sent.push(request);
    const { statusCode, body } = answer();
    return { response: { statusCode, headers: {}, body: Readable.from([body]) } };
  };
  const credentials = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' };
  return { client: new DynamoDBClient({ region, credentials, requestHandler: { handle } as never }), sent };
}

test('whoever decides is named by the ARN that STS gives, asked in the region of the stage and signed for STS', async () => {
  const arn = 'arn:aws:sts::111122223333:assumed-role/credit-desk/anna';
  const { client, sent } = clientOf(() => ({ statusCode: 200, body: identity(arn) }));
  expect(await deciderOf(client, PLACE, MEMBERS)).toBe(arn);
  expect(sent).toMatchObject([
    {
      method: 'POST',
      protocol: 'https:',
      hostname: 'sts.eu-central-1.amazonaws.com',
      body: 'Action=GetCallerIdentity&Version=2011-06-15',
      headers: { authorization: expect.stringContaining('/eu-central-1/sts/aws4_request') },
    },
  ]);
});

test.each([
  ['refuses', () => ({ statusCode: 403, body: '<ErrorResponse/>' })],
  [
    'cannot be reached',
    () => {
      throw new Error('getaddrinfo ENOTFOUND');
    },
  ],
  ['answers something else', () => ({ statusCode: 200, body: '<!doctype html><title>welcome</title>' })],
  [
    'gives an ARN with another character',
    () => ({ statusCode: 200, body: identity('arn:aws:iam::1:user/\u202Eanna') }),
  ],
  ['gives no ARN', () => ({ statusCode: 200, body: identity('anna') })],
])('whoever decides is named by the access key if STS %s', async (_how, answer) => {
  expect(await deciderOf(clientOf(answer).client, PLACE, MEMBERS)).toBe('access key AKIAEXAMPLE');
});

test.each<[string, (response: ServerResponse) => unknown]>([
  ['answers nothing', () => undefined],
  ['begins an answer and never ends it', (response) => response.writeHead(200).write('<GetCallerIdentityResponse>')],
  [
    'answers without an end',
    (response) =>
      Readable.from(
        (function* () {
          for (;;) yield '<Arn>'.repeat(100);
        })(),
      ).pipe(response),
  ],
])('nobody waits for an STS that %s', async (_how, answer) => {
  const server = createServer((_request, response) => void answer(response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new DynamoDBClient(clientSettings({ stage: 'local', local: true, endpoint }));
  try {
    const name = await deciderOf(client, { stage: 'local', local: true, endpoint }, MEMBERS, 100);
    expect(name).toBe('access key local');
  } finally {
    client.destroy();
    server.closeAllConnections();
    server.close();
  }
});

test('an ARN that is too long for a decision keeps its end', async () => {
  const { client } = clientOf(() => ({
    statusCode: 200,
    body: identity(`arn:aws:iam::111122223333:user/${'path/'.repeat(90)}anna`),
  }));
  const decidedBy = await deciderOf(client, PLACE, MEMBERS);
  expect(decidedBy).toMatch(/^….*path\/anna$/);
  expect(parseDecision(Buffer.from(JSON.stringify({ choices: [], decidedBy })))).toEqual({ choices: [], decidedBy });
});

test('nobody is named to a stage that would reject the name, and nobody is asked', async () => {
  const { client, sent } = clientOf(() => ({ statusCode: 200, body: identity('arn') }));
  expect(await deciderOf(client, PLACE, '')).toBeUndefined();
  expect(sent).toEqual([]);
});
