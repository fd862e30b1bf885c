import { randomUUID } from 'node:crypto';
import type { Account } from '../account.ts';
import {
  AwsError,
  type JsonObject,
  type Operations,
  optionalNumber,
  optionalString,
  requiredString,
} from '../protocol/operation.ts';
import { fieldsOf, type LogQuery, type LogRecord, parseQuery } from './query.ts';

export interface LogLine {
  group: string;
  stream: string;
  /** Milliseconds since the epoch. */
  time: number;
  message: string;
}

export interface LogSources {
  /** The names of the log groups that the stacks have. */
  groups: () => string[];
  lines: () => Iterable<LogLine>;
}

interface ResultField {
  field: string;
  value: string;
}

interface QueryResult {
  results: ResultField[][];
  statistics: { recordsMatched: number; recordsScanned: number; bytesScanned: number };
}

/** Results are read right after their query, so few are kept. */
const KEPT_RESULTS = 30;

/** CloudWatch Logs: queries of Logs Insights over what functions and state machines wrote. A query is complete when it has been started. */
export function logsOperations(account: Account, sources: LogSources): Operations {
  const results = new Map<string, QueryResult>();
  return {
    StartQuery: (input) => {
      const queryId = randomUUID();
      results.set(queryId, runQuery(account, sources, input));
      const [oldest = ''] = results.keys();
      if (results.size > KEPT_RESULTS) results.delete(oldest);
      return { queryId };
    },
    GetQueryResults: (input) => {
      const result = results.get(requiredString(input, 'queryId'));
      if (!result) throw new AwsError('ResourceNotFoundException', 'There is no such query.');
      return { status: 'Complete', ...result };
    },
  };
}

function runQuery(account: Account, sources: LogSources, input: JsonObject): QueryResult {
  const groups = new Set(groupsOf(input));
  const known = sources.groups();
  const unknown = [...groups].find((group) => !known.includes(group));
  if (unknown !== undefined) {
    throw new AwsError('ResourceNotFoundException', `Log group '${unknown}' does not exist for account ID`);
  }
  const query = parseQuery(requiredString(input, 'queryString'));
  const [start = 0, end = 0] = [optionalNumber(input, 'startTime'), optionalNumber(input, 'endTime')];
  const scanned = [...sources.lines()].filter(
    ({ group, time }) => groups.has(group) && time >= start * 1000 && time < (end + 1) * 1000,
  );
  const matched = scanned.map((line) => recordOf(line, account)).filter((record) => query.matches(record));
  const rows = sorted(matched, query.sort).slice(0, query.limit);
  return {
    results: rows.map((record) => rowOf(record, query.fields)),
    statistics: {
      recordsMatched: matched.length,
      recordsScanned: scanned.length,
      bytesScanned: scanned.reduce((sum, { message }) => sum + message.length, 0),
    },
  };
}

function recordOf({ group, stream, time, message }: LogLine, { accountId }: Account): LogRecord {
  return {
    ...fieldsOf(message),
    '@timestamp': new Date(time).toISOString().replace('T', ' ').replace('Z', ''),
    '@message': message,
    '@log': `${accountId}:${group}`,
    '@logStream': stream,
  };
}

/** The log groups that a request names. */
export function groupsOf(input: JsonObject): string[] {
  const { logGroupNames: names } = input;
  const one = optionalString(input, 'logGroupName');
  const groups = Array.isArray(names) ? names.map(String) : one === undefined ? [] : [one];
  if (groups.length > 0) return groups;
  throw new AwsError('InvalidParameterException', 'The embedded AWS needs logGroupName or logGroupNames.');
}

function sorted(records: LogRecord[], sort: LogQuery['sort']): LogRecord[] {
  const { field, descending } = sort ?? { field: '@timestamp', descending: true };
  const valueIn = (record: LogRecord) => record[field] ?? '';
  const ascending = records.toSorted((one, other) => order(valueIn(one), valueIn(other)));
  return descending ? ascending.reverse() : ascending;
}

/** Numbers are ordered by their values. */
function order(one: string, other: string): number {
  const difference = Number(one) - Number(other);
  if (one && other && !Number.isNaN(difference)) return difference;
  return one < other ? -1 : Number(one > other);
}

function rowOf(record: LogRecord, fields: string[]): ResultField[] {
  return fields.flatMap((field) => {
    const value = record[field];
    return value === undefined ? [] : [{ field, value }];
  });
}
