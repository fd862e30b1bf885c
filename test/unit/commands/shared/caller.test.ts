import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { withDecider } from '../../../../commands/shared/caller.ts';
import { parseDecision } from '../../../../core/package/decision-schema.ts';
import { answering } from '../../../helpers/listening.ts';

const MEMBERS = 'choices decidedBy';
const PLACE = { stage: 'prod' };
const NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';
const identity = (arn: string) =>
  `<GetCallerIdentityResponse xmlns="${NAMESPACE}"><GetCallerIdentityResult><Arn>${arn}</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>`;

type Answer = (response: ServerResponse) => unknown;
const saying =
  (body: string, status = 200): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/xml' }).end(body);

async function startSts(answer: Answer) {
  const asked: { request: IncomingMessage; body: string }[] = [];
  const url = await answering(async (request, response) => {
    asked.push({ request, body: String(await buffer(request)) });
    answer(response);
  }, onTestFinished);
  vi.stubEnv('AWS_ENDPOINT_URL_STS', url);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  onTestFinished(() => void vi.unstubAllEnvs());
  return asked;
}

test('whoever decides is named by the ARN that STS gives, asked in the region of the stage and signed for STS', async () => {
  const arn = 'arn:aws:sts::111122223333:assumed-role/credit-desk/anna';
  const asked = await startSts(saying(identity(arn)));
  expect(await withDecider({}, PLACE, MEMBERS)).toEqual({ decidedBy: arn });
  const [{ request, body }] = asked as [(typeof asked)[0]];
  expect(body).toContain('Action=GetCallerIdentity');
  expect(request.headers.authorization).toContain('/eu-central-1/sts/aws4_request');
});

test.each<[string, Answer]>([
  ['refuses', saying('<ErrorResponse/>', 403)],
  ['answers something else', saying('<!doctype html><title>welcome</title>')],
  ['gives an ARN with another character', saying(identity('arn:aws:iam::1:user/\u202Eanna'))],
])('whoever decides is named by the access key if STS %s', async (_how, answer) => {
  await startSts(answer);
  expect(await withDecider({}, PLACE, MEMBERS)).toEqual({ decidedBy: 'access key AKIAEXAMPLE' });
});

test('nobody waits for an STS that begins an answer and never ends it', async () => {
  await startSts((response) => response.writeHead(200).write('<GetCallerIdentityResponse>'));
  expect(await withDecider({}, PLACE, MEMBERS, 100)).toEqual({ decidedBy: 'access key AKIAEXAMPLE' });
});

test('an ARN that is too long for a decision keeps its end', async () => {
  await startSts(saying(identity(`arn:aws:iam::111122223333:user/${'path/'.repeat(90)}anna`)));
  const { decidedBy } = await withDecider({}, PLACE, MEMBERS);
  expect(decidedBy).toMatch(/^….*path\/anna$/);
  expect(parseDecision(Buffer.from(JSON.stringify({ choices: [], decidedBy })))).toEqual({ choices: [], decidedBy });
});

test('STS is not asked if the decision names somebody, or if the stage would reject the name', async () => {
  const asked = await startSts(saying(identity('arn')));
  expect(await withDecider({}, PLACE, '')).toEqual({});
  expect(await withDecider({ decidedBy: 'anna' }, PLACE, MEMBERS)).toEqual({ decidedBy: 'anna' });
  await expect(withDecider({ decidedBy: 'anna' }, PLACE, 'choices')).rejects.toThrow(
    'does not know decidedBy in decision.json',
  );
  expect(asked).toEqual([]);
});
