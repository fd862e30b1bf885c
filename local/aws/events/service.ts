import { AwsError } from '../protocol/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';
import type { Operations } from '../protocol/json-service.ts';
import { DEFAULT_BUS, type EventBus } from './bus.ts';

/** The API of EventBridge: PutEvents. */
export function eventBridgeOperations(bus: EventBus): Operations {
  return { PutEvents: (input) => putEvents(bus, input) };
}

/** `{Entries: [{Source, DetailType, Detail (JSON as a string), Resources?, EventBusName?, Time?}]}`. Throws an AwsError. */
export function putEvents(bus: EventBus, input: JsonObject): { FailedEntryCount: number; Entries: object[] } {
  const entries = Array.isArray(input.Entries) ? input.Entries.filter(isJsonObject) : [];
  if (entries.length === 0 || entries.length > 10) {
    throw new AwsError('ValidationException', 'PutEvents takes one to ten entries.');
  }
  const results = entries.map((entry) => putEntry(bus, entry));
  return { FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length, Entries: results };
}

function putEntry(bus: EventBus, entry: JsonObject): object {
  const { EventBusName: busName, Source: source, DetailType: detailType, Resources: resources } = entry;
  const busNamed = nameOfBus(busName);
  if (!bus.has(busNamed)) {
    throw new AwsError('ResourceNotFoundException', `Event bus ${busNamed} does not exist.`);
  }
  const detail = parseDetail(entry.Detail);
  if (typeof source !== 'string' || typeof detailType !== 'string' || source === '' || detailType === '') {
    return { ErrorCode: 'InvalidArgument', ErrorMessage: 'Parameters Source and DetailType are not valid.' };
  }
  if (!detail) return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
  const refused = bus.refusal({ source, 'detail-type': detailType, detail });
  if (refused !== undefined) return { ErrorCode: refused, ErrorMessage: `${refused}, injected by the entry refusal` };
  const named = Array.isArray(resources) ? resources.map(String) : [];
  const at = typeof entry.Time === 'number' ? { time: entry.Time * 1000 } : {};
  return { EventId: bus.publish({ source, 'detail-type': detailType, resources: named, detail, ...at }, busNamed) };
}

/** The name of a bus that is given by its name or by its ARN. */
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
