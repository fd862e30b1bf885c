import { AwsError, isJsonObject, type Json, type JsonObject, type Operations } from '../protocol/operation.ts';
import { DEFAULT_BUS, type EventBus } from './bus.ts';

export function eventBridgeOperations(bus: EventBus): Operations {
  return { PutEvents: (input) => putEvents(bus, input) };
}

const LARGEST_REQUEST = 1_048_576;
/** The size that PutEvents counts for the time of an entry. Bytes. */
const TIME_SIZE = 14;

/** `{Entries: [{Source, DetailType, Detail (JSON as a string), Resources?, EventBusName?, Time?}]}`. Throws an AwsError. */
function putEvents(bus: EventBus, input: JsonObject): { FailedEntryCount: number; Entries: object[] } {
  const entries = Array.isArray(input.Entries) ? input.Entries.filter(isJsonObject) : [];
  checkRequest(bus, entries);
  const results = entries.map((entry) => putEntry(bus, entry));
  return { FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length, Entries: results };
}

function checkRequest(bus: EventBus, entries: readonly JsonObject[]): void {
  if (entries.length === 0 || entries.length > 10) {
    throw new AwsError('ValidationException', 'PutEvents takes one to ten entries.');
  }
  if (entries.reduce((sum, entry) => sum + sizeOf(entry), 0) > LARGEST_REQUEST) {
    throw new AwsError('ValidationException', 'Total size of the entries in the request is over the limit.');
  }
  const unknown = entries.map(({ EventBusName }) => nameOfBus(EventBusName)).find((name) => !bus.has(name));
  if (unknown !== undefined) throw new AwsError('ResourceNotFoundException', `Event bus ${unknown} does not exist.`);
}

function sizeOf({ Source, DetailType, Detail, Resources = [], Time }: JsonObject): number {
  const texts = [Source, DetailType, isJsonObject(Detail) ? JSON.stringify(Detail) : Detail, Resources].flat();
  const size = texts.reduce<number>((sum, text) => sum + Buffer.byteLength(String(text ?? '')), 0);
  return size + (Time === undefined ? 0 : TIME_SIZE);
}

function putEntry(bus: EventBus, entry: JsonObject): object {
  const { EventBusName: busName, Source: source, DetailType: detailType, Resources: resources } = entry;
  for (const name of ['Source', 'DetailType', 'Detail']) {
    if (entry[name]) continue;
    const ErrorMessage = `Parameter ${name} is not valid. Reason: ${name} is a required argument.`;
    return { ErrorCode: 'InvalidArgument', ErrorMessage };
  }
  if (String(source).startsWith('aws.')) {
    return { ErrorCode: 'NotAuthorizedForSourceException', ErrorMessage: 'Not authorized for the source.' };
  }
  const detail = parseDetail(entry.Detail);
  if (!detail) return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
  const event = { source: String(source), 'detail-type': String(detailType), detail };
  const refused = bus.refusal?.(event);
  if (refused !== undefined) return { ErrorCode: refused, ErrorMessage: `${refused}, injected by the entry refusal` };
  const named = Array.isArray(resources) ? resources.map(String) : [];
  const at = typeof entry.Time === 'number' ? { time: entry.Time * 1000 } : {};
  return { EventId: bus.publish({ ...event, resources: named, ...at }, nameOfBus(busName)) };
}

export function nameOfBus(given: Json | undefined): string {
  return typeof given === 'string' ? (given.split('/').at(-1) ?? given) : DEFAULT_BUS;
}

function parseDetail(detail: Json | undefined): JsonObject | undefined {
  if (isJsonObject(detail)) return detail;
  try {
    const parsed: unknown = JSON.parse(String(detail));
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
