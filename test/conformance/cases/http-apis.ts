import { DeleteFunctionCommand, LambdaClient, ListVersionsByFunctionCommand } from '@aws-sdk/client-lambda';
import { type ClientClass, casesOf, moto, type Scope } from '../case.ts';

/** A request to an HTTP API. It stands for a command of the SDK, which has none. */
class RequestCommand {
  readonly input: { url: string; type: string; body: string };

  constructor(input: RequestCommand['input']) {
    this.input = input;
  }

  declare resolveMiddleware: (...args: never) => (...args: never) => Promise<{ output: Answer }>;
}

interface Answer {
  status: number;
  type: string;
  bytes: number[];
  json: { body?: string; isBase64Encoded?: boolean; [member: string]: unknown };
}

class UrlClient {
  async send({ input: { url, type, body } }: RequestCommand): Promise<Answer> {
    if (!url) throw Object.assign(new Error('NoUrl'), { name: 'NoUrl', $metadata: { httpStatusCode: 404 } });
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
    const bytes = [...new Uint8Array(await answer.arrayBuffer())];
    const got = { status: answer.status, type: answer.headers.get('content-type') ?? '', bytes };
    if (answer.ok) return { ...got, json: got.type === 'application/json' ? JSON.parse(Buffer.from(bytes).toString()) : {} };
    throw Object.assign(new Error('Refused'), { name: 'Refused', $metadata: { httpStatusCode: answer.status } });
  }

  destroy(): void {}
}

const unserved = moto('NoUrl', 'moto serves no HTTP APIs, and runs functions in Docker only.');
const { answers, refuses } = casesOf(UrlClient as unknown as ClientClass, 'https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html', ({ url = '' }) => ({
  url,
  type: 'application/json',
  body: '{"a":1}',
}));
const at =
  (path: string) =>
  ({ url = '' }: Scope) => ({ url: url && url + path });

const body = ({ json }: Answer) => [json.body, json.isBase64Encoded];
const uri = ({ json }: Answer) => [json.rawPath, json.rawQueryString, json.version];
const result = ({ status, type, json }: Answer) => [status, type, json];
const file = ({ status, type, bytes }: Answer) => [status, type, bytes];

/** Their function is in template.ts. */
export const httpApis = {
  service: 'HTTP APIs',
  cases: [
    answers('JSON, as it is', RequestCommand, {}, body, ['{"a":1}', false], { eventually: true, ...unserved }),
    answers('another body, in Base64', RequestCommand, { type: 'application/pdf', body: 'é' }, body, ['w6k=', true], unserved),
    answers('the path and the query', RequestCommand, at('/v1/a?x=1'), uri, ['/v1/a', 'x=1', '2.0'], unserved),
    answers('a result without a status', RequestCommand, at('/plain'), result, [200, 'application/json', { said: 'plain' }], unserved),
    answers('a result in Base64', RequestCommand, at('/bytes'), file, [201, 'application/pdf', [0, 1, 254, 255]], unserved),
    refuses('a function that throws', RequestCommand, at('/throw'), 'HTTP 500', unserved),
  ],
};

const LAMBDA = 'https://docs.aws.amazon.com/lambda/latest/api/API_{operation}.html';
const versions = casesOf(LambdaClient, LAMBDA, ({ echo = 'none' }) => ({ FunctionName: echo }));
const missing = (got: string) => moto(got, 'The stack for moto has no functions.');

export const lambda = {
  service: 'Lambda',
  cases: [
    versions.answers(
      'the versions',
      ListVersionsByFunctionCommand,
      {},
      ({ Versions = [] }) => Versions.map(({ Version, FunctionArn = '' }) => [Version, FunctionArn.split(':').at(-1)]),
      [
        ['$LATEST', '$LATEST'],
        ['1', '1'],
      ],
      missing('[]'),
    ),
    versions.accepts('a version', DeleteFunctionCommand, { Qualifier: '1' }, missing('ResourceNotFoundException')),
    versions.answers('what is left', ListVersionsByFunctionCommand, {}, ({ Versions }) => Versions?.length, 1, missing('0')),
  ],
};
