import { AwsError, isJsonObject, type Json } from '../protocol/operation.ts';

/** A line of a log, by the names of its fields. The members of a message that is a JSON object are fields too: `details.name`. */
export type LogRecord = Record<string, string>;

/** A query of CloudWatch Logs Insights. */
export interface LogQuery {
  fields: string[];
  matches(record: LogRecord): boolean;
  /** Undefined leaves the newest line first. */
  sort: { field: string; descending: boolean } | undefined;
  limit: number;
}

type Condition = LogQuery['matches'];

const USUAL_LIMIT = 1000;
const MOST_LIMIT = 10_000;
/** A text, a regular expression, a name, an operator, or one character. */
const TOKENS = /"(?:[^"\\]|\\.)*"|\/(?:[^/\\]|\\.)+\/|[@\w.-]+|>=|\S/g;

/** Reads the commands `fields`, `filter` (`=`, `>=`, `like`, `and`, `or`, parentheses), `sort` and `limit`. Throws an AwsError for any other. */
export function parseQuery(text: string): LogQuery {
  return new QueryReader(text.match(TOKENS) ?? []).query();
}

class QueryReader {
  readonly #tokens: string[];

  constructor(tokens: string[]) {
    this.#tokens = tokens;
  }

  query(): LogQuery {
    const conditions: Condition[] = [];
    const query: LogQuery = {
      fields: ['@timestamp', '@message'],
      matches: (record) => conditions.every((condition) => condition(record)),
      sort: undefined,
      limit: USUAL_LIMIT,
    };
    do {
      const command = this.#next();
      if (command === 'fields') query.fields = this.#names();
      else if (command === 'filter') conditions.push(this.#either());
      else if (command === 'sort') query.sort = this.#sort();
      else if (command === 'limit') query.limit = this.#limit();
      else throw unsupported(command);
    } while (this.#takes('|'));
    if (this.#tokens.length > 0) throw unsupported(this.#next());
    return query;
  }

  #names(): string[] {
    const names = [this.#name()];
    while (this.#takes(',')) names.push(this.#name());
    return names;
  }

  #sort(): LogQuery['sort'] {
    const field = this.#name();
    if (this.#takes('asc')) return { field, descending: false };
    this.#takes('desc');
    return { field, descending: true };
  }

  #limit(): number {
    const token = this.#next();
    if (/^\d+$/.test(token) && Number(token) <= MOST_LIMIT) return Number(token);
    throw unsupported(token);
  }

  #either(): Condition {
    const conditions = [this.#both()];
    while (this.#takes('or')) conditions.push(this.#both());
    return (record) => conditions.some((condition) => condition(record));
  }

  #both(): Condition {
    const conditions = [this.#comparison()];
    while (this.#takes('and')) conditions.push(this.#comparison());
    return (record) => conditions.every((condition) => condition(record));
  }

  #comparison(): Condition {
    if (this.#takes('(')) {
      const condition = this.#either();
      if (!this.#takes(')')) throw unsupported(this.#next());
      return condition;
    }
    const [field, operator, value] = [this.#name(), this.#next(), this.#next()];
    if (operator === '=' && value.startsWith('"')) {
      const wanted = JSON.parse(value) as string;
      return (record) => record[field] === wanted;
    }
    if (operator === '>=' && /^\d+$/.test(value))
      return (record) => Number(record[field] ?? Number.NaN) >= Number(value);
    if (operator !== 'like' || !value.startsWith('/')) throw unsupported(`${operator} ${value}`);
    const pattern = new RegExp(value.slice(1, -1));
    return (record) => record[field] !== undefined && pattern.test(record[field]);
  }

  #name(): string {
    const token = this.#next();
    if (/^[@A-Za-z][\w.]*$/.test(token)) return token;
    throw unsupported(token);
  }

  #next(): string {
    return this.#tokens.shift() ?? '';
  }

  #takes(token: string): boolean {
    if (this.#tokens[0] !== token) return false;
    this.#tokens.shift();
    return true;
  }
}

function unsupported(words: string): AwsError {
  return new AwsError(
    'MalformedQueryException',
    `The embedded AWS supports only the commands fields, filter (with =, >=, like, and, or), sort and limit of a query. It cannot read: ${words || 'its end'}`,
  );
}

/** The fields of a message that is a JSON object, with the names of nested ones joined by dots. */
export function fieldsOf(message: string): LogRecord {
  try {
    const fields: LogRecord = {};
    addFields(fields, '', JSON.parse(message) as Json);
    return fields;
  } catch {
    // A message that is not JSON has no fields.
    return {};
  }
}

function addFields(fields: LogRecord, name: string, value: Json): void {
  if (isJsonObject(value)) {
    for (const [key, inner] of Object.entries(value)) addFields(fields, name ? `${name}.${key}` : key, inner);
  } else if (name && value !== null) fields[name] = typeof value === 'object' ? JSON.stringify(value) : String(value);
}
