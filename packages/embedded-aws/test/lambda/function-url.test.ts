import { expect, test } from 'vitest';
import { lambdaResource, startHandmade } from '../cloudformation/handmade-assembly.ts';

const CODE = `
export const echo = async (event) => {
  if (event.rawPath === '/throw') throw new Error('thrown');
  if (event.rawPath === '/plain') return { said: 'plain' };
  return { statusCode: 201, headers: { 'X-Own': '1' }, cookies: ['a=1', 'b=2'], body: JSON.stringify(event) };
};
`;

const target = { 'Fn::GetAtt': ['Echo', 'Arn'] };
const permission = (Action: string, more: object) => ({
  Type: 'AWS::Lambda::Permission',
  Properties: { Action, FunctionName: target, Principal: '*', ...more },
});
const url = (more: object = {}) => ({
  Type: 'AWS::Lambda::Url',
  Properties: { AuthType: 'NONE', TargetFunctionArn: target, ...more },
});
const PERMISSIONS = {
  Url: permission('lambda:InvokeFunctionUrl', { FunctionUrlAuthType: 'NONE' }),
  Invoke: permission('lambda:InvokeFunction', { InvokedViaFunctionUrl: true }),
};

/** Starts a function with a URL. Returns the URL. */
async function start(permissions: object, more?: object): Promise<string> {
  const Resources = { Echo: lambdaResource('code', 'echo'), Address: url(more), ...permissions };
  const Outputs = { Url: { Value: { 'Fn::GetAtt': ['Address', 'FunctionUrl'] } } };
  const { aws } = await startHandmade({ Stack: { Resources, Outputs } }, { code: CODE });
  return aws.outputs.Stack?.Url ?? '';
}

test('a request becomes an event of format 2.0, with a binary body in Base64', async () => {
  const address = await start(PERMISSIONS);
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  const headers = { 'content-type': 'application/pdf', cookie: 'c=3; d=4' };
  const answer = await fetch(`${address}v1/a%20b?x=1&y=2`, { method: 'POST', headers, body: Buffer.from([0, 255]) });
  expect(answer.status).toBe(201);
  expect(answer.headers.get('x-own')).toBe('1');
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(await answer.json()).toMatchObject({
    version: '2.0',
    rawPath: '/v1/a%20b',
    rawQueryString: 'x=1&y=2',
    queryStringParameters: { x: '1', y: '2' },
    cookies: ['c=3', 'd=4'],
    requestContext: { http: { method: 'POST', path: '/v1/a%20b' } },
    body: 'AP8=',
    isBase64Encoded: true,
  });
  // JSON stays as it is, an object without a status is the answer, and an error is a 502.
  const json = { 'content-type': 'application/json' };
  const echoed = await fetch(address, { method: 'POST', headers: json, body: '{"a":1}' });
  expect(await echoed.json()).toMatchObject({ body: '{"a":1}', isBase64Encoded: false });
  expect(await (await fetch(`${address}plain`)).json()).toEqual({ said: 'plain' });
  expect((await fetch(`${address}throw`)).status).toBe(502);
  const large = { method: 'POST', body: Buffer.alloc(7 * 1024 * 1024) };
  expect((await fetch(address, large)).status).toBe(413);
});

test.each(Object.keys(PERMISSIONS))('with the permission %s alone, everybody is refused', async (name) => {
  const address = await start({ [name]: PERMISSIONS[name as keyof typeof PERMISSIONS] });
  expect((await fetch(address)).status).toBe(403);
});

test('a URL for signed requests is not supported', async () => {
  await expect(start(PERMISSIONS, { AuthType: 'AWS_IAM' })).rejects.toThrow(/AuthType AWS_IAM; only NONE/);
});
