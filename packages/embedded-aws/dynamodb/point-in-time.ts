import { AwsError, isJsonObject, type JsonObject, notSupported, type Operations } from '../protocol/operation.ts';
import type { Clock } from '../time/clock.ts';

interface Tables {
  call(operation: string, input: JsonObject): Promise<JsonObject>;
  createTable(table: JsonObject): Promise<void>;
  copyItems(from: string, to: string): void;
}

/** Properties that a restored table takes from its source. Others, such as backups and deletion protection, must be set afterwards. */
const RESTORED = 'AttributeDefinitions KeySchema GlobalSecondaryIndexes'.split(' ');
const OF_INDEX = 'IndexName KeySchema Projection'.split(' ');

/** Point-in-time recovery and deletion protection. No history is stored, so a table can be restored only to its current state. */
export function createPointInTime(tables: Tables, clock: Clock) {
  /** When recovery was enabled, by table. Milliseconds since the epoch. */
  const sinceWhen = new Map<string, number>();
  /** Deletion protection by table. It is only described: tables cannot be deleted here. */
  const isProtected = new Map<string, boolean>();
  /** The `RestoreSummary` of each restored table. */
  const restored = new Map<string, JsonObject>();

  const enable = (table: string): void => void sinceWhen.set(table, sinceWhen.get(table) ?? clock.now());

  const find = async (TableName: string): Promise<JsonObject | undefined> => {
    try {
      const { Table: table = null } = await tables.call('DescribeTable', { TableName });
      return isJsonObject(table) ? table : undefined;
    } catch (error) {
      if (error instanceof AwsError && error.code === 'ResourceNotFoundException') return undefined;
      throw error;
    }
  };
  const described = async (table: string): Promise<JsonObject> => {
    const found = await find(table);
    if (found) return found;
    throw new AwsError('TableNotFoundException', `Table not found: ${table}`);
  };
  const describeTable = async (input: JsonObject): Promise<JsonObject> => {
    const { Table: table = {} } = await tables.call('DescribeTable', input);
    const { TableName: name } = table as JsonObject;
    const RestoreSummary = restored.get(String(name));
    const DeletionProtectionEnabled = isProtected.get(String(name)) ?? false;
    return { ...(table as JsonObject), ...(RestoreSummary && { RestoreSummary }), DeletionProtectionEnabled };
  };
  const describeBackups = async (table: string): Promise<object> => {
    await described(table);
    const since = sinceWhen.get(table);
    const PointInTimeRecoveryDescription =
      since === undefined
        ? { PointInTimeRecoveryStatus: 'DISABLED' }
        : {
            PointInTimeRecoveryStatus: 'ENABLED',
            RecoveryPeriodInDays: 35,
            EarliestRestorableDateTime: since / 1000,
            LatestRestorableDateTime: clock.now() / 1000,
          };
    return { ContinuousBackupsDescription: { ContinuousBackupsStatus: 'ENABLED', PointInTimeRecoveryDescription } };
  };
  const updateTable = async ({ TableName = '', DeletionProtectionEnabled: wanted, ...others }: JsonObject) => {
    const [other] = Object.keys(others);
    if (other !== undefined) throw notSupported('ValidationException', `UpdateTable with ${other}`);
    await tables.call('DescribeTable', { TableName });
    if (typeof wanted === 'boolean') isProtected.set(String(TableName), wanted);
    return { TableDescription: await describeTable({ TableName }) };
  };
  const updateBackups = async ({ TableName = '', PointInTimeRecoverySpecification: wanted }: JsonObject) => {
    const table = String(TableName);
    await described(table);
    if (isJsonObject(wanted) && wanted.PointInTimeRecoveryEnabled === true) enable(table);
    else sinceWhen.delete(table);
    return describeBackups(table);
  };
  const restore = async (input: JsonObject): Promise<object> => {
    const [source, target] = [String(input.SourceTableName), String(input.TargetTableName)];
    const original = await described(source);
    if (await find(target)) throw new AwsError('TableAlreadyExistsException', `Table already exists: ${target}`);
    const RestoreDateTime = timeToRestore(source, sinceWhen.get(source), clock.now(), input) / 1000;
    const settings = only(RESTORED, original);
    const { GlobalSecondaryIndexes: indexes } = settings;
    if (Array.isArray(indexes))
      settings.GlobalSecondaryIndexes = indexes.filter(isJsonObject).map((index) => only(OF_INDEX, index));
    await tables.createTable({ ...settings, TableName: target, BillingMode: 'PAY_PER_REQUEST' });
    tables.copyItems(source, target);
    const SourceTableArn = original.TableArn ?? null;
    restored.set(target, { SourceTableArn, RestoreDateTime, RestoreInProgress: false });
    return { TableDescription: await describeTable({ TableName: target }) };
  };
  const operations: Operations = {
    DescribeTable: async (input) => ({ Table: await describeTable(input) }),
    UpdateTable: updateTable,
    DescribeContinuousBackups: ({ TableName = '' }) => describeBackups(String(TableName)),
    UpdateContinuousBackups: updateBackups,
    RestoreTableToPointInTime: restore,
  };
  return { operations, enable, protect: (table: string): void => void isProtected.set(table, true) };
}

function timeToRestore(table: string, since: number | undefined, now: number, input: JsonObject): number {
  if (since === undefined) {
    const problem = `Point in time recovery is not enabled for table '${table}'`;
    throw new AwsError('PointInTimeRecoveryUnavailableException', problem);
  }
  if (input.UseLatestRestorableTime === true) return now;
  const at = Number(input.RestoreDateTime) * 1000;
  if (!(at >= Math.floor(since / 1000) * 1000 && at <= now)) {
    const problem = 'RestoreDateTime must be between EarliestRestorableDateTime and LatestRestorableDateTime';
    throw new AwsError('InvalidRestoreTimeException', problem);
  }
  if (at < Math.floor(now / 1000) * 1000)
    throw notSupported('ValidationException', 'a restore to an earlier time than now, because it keeps no history');
  return at;
}

const only = (names: readonly string[], members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([name]) => names.includes(name)));
