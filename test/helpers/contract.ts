import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import type { RecordedBody, RecordedCall } from '../../simulator/index.ts';

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
interface Operation {
  requestBody?: RequestBody;
  responses: Record<string, Response>;
}
interface Contract {
  paths: Record<string, Record<string, Operation>>;
}

/** Where something stands in the contract, as the steps of a JSON pointer. */
type Pointer = readonly string[];

export const contractFile = new URL('../../openapi/order-service.yaml', import.meta.url);

const contractName = 'order-service';
const contract: Contract = parse(readFileSync(contractFile, 'utf8'));
// The contract is no JSON Schema itself, but its schemas are found in it by pointer; `binary` is no format to check.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema(contract, contractName);

/**
 * Checks recorded calls against `openapi/order-service.yaml`: that route, method and status are in the contract, that
 * the answer has the content type and the shape it says, and so has the request where the service took it (2xx; what
 * was refused may be wrong on purpose). A call that was never answered is passed over. Returns one sentence for each
 * violation; none means that the calls keep to the contract.
 */
export function checkCalls(calls: readonly RecordedCall[]): string[] {
  return calls.flatMap((call) =>
    checkCall(call).map((problem) => `#${call.sequence} ${call.method} ${call.path}: ${problem}`),
  );
}

function checkCall(call: RecordedCall): string[] {
  const method = call.method.toLowerCase();
  const operation = contract.paths[call.route ?? '']?.[method];
  if (!operation) return ['not in the contract'];
  if (call.status === undefined) return [];
  const pointer = ['paths', call.route ?? '', method];
  const accepted = call.status >= 200 && call.status < 300;
  return [...(accepted ? checkRequest(call, operation, pointer) : []), ...checkResponse(call, operation, pointer)];
}

function checkRequest(call: RecordedCall, { requestBody }: Operation, pointer: Pointer): string[] {
  if (!call.requestBody) return requestBody?.required ? ['the request has no body'] : [];
  if (!requestBody) return ['the request has a body'];
  const bodyPointer = [...pointer, 'requestBody'];
  return checkContent(
    'request',
    requestBody.content,
    bodyPointer,
    call.requestContentType,
    instanceOf(call.requestBody),
  );
}

function checkResponse(call: RecordedCall, { responses }: Operation, pointer: Pointer): string[] {
  const status = String(call.status);
  const key = [status, `${status[0]}XX`].find((candidate) => candidate in responses);
  if (key === undefined) return [`status ${status} is not in the contract`];
  const { response, at } = resolve(responses[key] ?? {}, [...pointer, 'responses', key]);
  if (call.responseContentType === undefined && !requiresBody(response.content)) return [];
  return checkContent('response', response.content ?? {}, at, call.responseContentType, call.responseBody);
}

/** Content of any type is content that the specification does not show: it may be absent. */
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
  const schemaPointer = [...pointer, 'content', key, 'schema'].map(escapeStep).join('/');
  const validate = ajv.getSchema(`${contractName}#/${schemaPointer}`);
  if (!validate) throw new Error(`The contract has no schema at ${schemaPointer}`);
  if (validate(instance)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `the ${what}${instancePath} ${message}`);
}

/** A body as its schema sees it: a file is text there, and two files under one name are no longer one. */
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
  const at = response.$ref.replace('#/', '').split('/');
  const target = at.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], contract);
  return { response: target as Response, at };
}

function escapeStep(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}
