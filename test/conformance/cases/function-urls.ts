import { type ClientClass, casesOf, moto, type Scope } from '../case.ts';

/** A request to a function's URL. It stands for a command of the SDK, which has none. */
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

/** Sends a request, without a signature. */
class UrlClient {
  readonly middlewareStack = { add: () => undefined };

  async send({ input: { url, type, body } }: RequestCommand): Promise<Answer> {
    if (!url) throw Object.assign(new Error('NoUrl'), { name: 'NoUrl', $metadata: { httpStatusCode: 404 } });
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
    const bytes = [...new Uint8Array(await answer.arrayBuffer())];
    const got = { status: answer.status, type: answer.headers.get('content-type') ?? '', bytes };
    if (answer.ok) return { ...got, json: got.type === 'application/json' ? JSON.parse(Buffer.from(bytes).toString()) : {} };
    const error = answer.status === 403 ? 'Forbidden' : 'Refused';
    throw Object.assign(new Error(error), { name: error, $metadata: { httpStatusCode: answer.status } });
  }

  destroy(): void {}
}

const unserved = moto('NoUrl', "moto's CloudFormation has no URLs of functions, and moto runs functions in Docker only.");
const { answers, refuses } = casesOf(UrlClient as unknown as ClientClass, 'https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html', ({ url = '' }) => ({
  url,
  type: 'application/json',
  body: '{"a":1}',
}));
const at =
  (path: string) =>
  ({ url = '' }: Scope) => ({ url: url.replace(/\/$/, path) });
const bytes = Buffer.from([0, 1, 254, 255]);

/** Their function is in template.ts. */
export const functionUrls = {
  service: 'Function URLs',
  cases: [
    answers('JSON, as it is', RequestCommand, {}, ({ json }) => [json.body, json.isBase64Encoded], ['{"a":1}', false], { eventually: true, ...unserved }),
    answers(
      'another body, in Base64',
      RequestCommand,
      { type: 'application/pdf', body: bytes.toString('latin1') },
      ({ json }) => [json.body, json.isBase64Encoded],
      [Buffer.from(bytes.toString('latin1')).toString('base64'), true],
      unserved,
    ),
    answers('the path and the query', RequestCommand, at('/v1/a%20b?x=1'), ({ json }) => [json.rawPath, json.rawQueryString, json.version], ['/v1/a%20b', 'x=1', '2.0'], unserved),
    answers('a result without a status', RequestCommand, at('/plain'), ({ status, type, json }) => [status, type, json], [200, 'application/json', { said: 'plain' }], unserved),
    answers('a result in Base64', RequestCommand, at('/bytes'), ({ status, type, bytes: got }) => [status, type, got], [201, 'application/pdf', [...bytes]], unserved),
    refuses('a function that throws', RequestCommand, at('/throw'), 'HTTP 502', unserved),
    refuses('a URL that nobody may call', RequestCommand, ({ closedUrl = '' }) => ({ url: closedUrl }), 'Forbidden', {
      source: 'https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html',
      ...unserved,
    }),
  ],
};
