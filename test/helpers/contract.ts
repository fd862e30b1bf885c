import { readFileSync } from 'node:fs';
import type { RecordedBody, RecordedCall } from '@business-loan-orders/order-simulator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

type Content = Record<string, { schema?: unknown }>;
interface Reference {
  $ref?: string;
}
interface RequestBody extends Reference {
  required?: boolean;
  content: Content;
}
interface Response extends Reference {
  content?: Content;
}
interface ContractOperation {
  requestBody?: RequestBody;
  responses: Record<string, Response>;
}
interface Contract {
  paths: Record<string, Record<string, ContractOperation>>;
}

/** A place in a contract: the contract's name, then the steps of a JSON pointer. */
type Pointer = readonly string[];

export const contractFile = new URL('../../openapi/order-service.yaml', import.meta.url);

/** The contracts of all services that the simulator plays at one address, by file. They have no common path. */
const contracts: Record<string, Contract> = {};
// A contract is not a JSON Schema, but ajv finds its schemas by pointer. The format `binary` cannot be checked.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });

export function addContract(file: URL): void {
  const name = file.href;
  contracts[name] ??= parse(readFileSync(file, 'utf8')) as Contract;
  if (!ajv.getSchema(name)) ajv.addSchema(contracts[name], name);
}
addContract(contractFile);

/** One sentence for each violation of a contract. Requests that were refused may be wrong on purpose. */
export function checkCalls(calls: readonly RecordedCall[]): string[] {
  return calls.flatMap((call) =>
    checkCall(call).map((problem) => `#${call.sequence} ${call.method} ${call.path}: ${problem}`),
  );
}

function checkCall(call: RecordedCall): string[] {
  const method = call.method.toLowerCase();
  const [name, contract] = Object.entries(contracts).find(([, { paths }]) => paths[call.route ?? '']?.[method]) ?? [];
  const operation = contract?.paths[call.route ?? '']?.[method];
  if (name === undefined || !operation) return ['not in the contract'];
  if (call.status === undefined) return [];
  const pointer = [name, 'paths', call.route ?? '', method];
  const accepted = call.status >= 200 && call.status < 300;
  return [...(accepted ? checkRequest(call, operation, pointer) : []), ...checkResponse(call, operation, pointer)];
}

function checkRequest(call: RecordedCall, { requestBody }: ContractOperation, pointer: Pointer): string[] {
  if (!call.requestBody) return requestBody?.required ? ['the request has no body'] : [];
  if (!requestBody) return ['the request has a body'];
  const bodyPointer = [...pointer, 'requestBody'];
  return checkContent(
    'request',
    requestBody.content,
    bodyPointer,
    call.requestHeaders['content-type'],
    instanceOf(call.requestBody),
  );
}

function checkResponse(call: RecordedCall, { responses }: ContractOperation, pointer: Pointer): string[] {
  const status = String(call.status);
  const key = [status, `${status[0]}XX`].find((candidate) => candidate in responses);
  if (key === undefined) return [`status ${status} is not in the contract`];
  const { response, at } = resolve(responses[key] ?? {}, [...pointer, 'responses', key]);
  if (call.responseContentType === undefined && !requiresBody(response.content)) return [];
  return checkContent('response', response.content ?? {}, at, call.responseContentType, call.responseBody);
}

/** Whether an answer needs a body. Content of any type is not shown in the specification, so it may be missing. */
function requiresBody(content: Content = {}): boolean {
  const mediaTypes = Object.keys(content);
  return mediaTypes.length > 0 && !mediaTypes.includes('*/*');
}

function checkContent(
  what: string,
  content: Content,
  pointer: Pointer,
  contentType: string | undefined,
  instance: unknown,
): string[] {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const key = [mediaType, '*/*'].find((candidate) => candidate in content);
  if (key === undefined) return [`the ${what} has content type ${mediaType || '(none)'}`];
  if (instance === undefined) return mediaType === 'application/json' ? [`the ${what} has no JSON body`] : [];
  const [name, ...steps] = [...pointer, 'content', key, 'schema'];
  const schemaPointer = steps.map(escapeStep).join('/');
  const validate = ajv.getSchema(`${name}#/${schemaPointer}`);
  if (!validate) throw new Error(`The contract has no schema at ${schemaPointer}`);
  if (validate(instance)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `the ${what}${instancePath} ${message}`);
}

/** The body as its schema describes it. A file becomes a string, and several files with one name become a list. */
function instanceOf(body: RecordedBody): unknown {
  if (body.kind === 'json') return body.value;
  if (body.kind === 'form') return body.fields;
  const names = new Set(body.files.map(({ field }) => field));
  const files = [...names].map((name) => {
    const contents = body.files.filter(({ field }) => field === name).map(({ sha256 }) => sha256);
    return [name, contents.length === 1 ? contents[0] : contents];
  });
  return { ...body.fields, ...Object.fromEntries(files) };
}

function resolve(response: Response, pointer: Pointer): { response: Response; at: Pointer } {
  if (!response.$ref) return { response, at: pointer };
  const at = [pointer[0] ?? '', ...response.$ref.replace('#/', '').split('/')];
  const target = at.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], contracts);
  return { response: target as Response, at };
}

const escapeStep = (step: string): string => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
