import { AwsError, isJsonObject, type JsonObject, notSupported, type Operations } from '../protocol/operation.ts';
import { nextTurn } from '../time/activity.ts';
import type { Clock } from '../time/clock.ts';

/** What the operations below need of the tables. */
interface Tables {
  call(operation: string, input: JsonObject): Promise<JsonObject>;
  /** Copies all items, and those of the indexes. */
  copyItems(from: string, to: string): void;
}

/** What a restored table has from its source. Everything else, such as its own backups and protection, is set up afterwards. */
const RESTORED = 'AttributeDefinitions KeySchema GlobalSecondaryIndexes'.split(' ');
const OF_INDEX = 'IndexName KeySchema Projection'.split(' ');

/** Point-in-time recovery, and protection from deletion. No history is kept, so a table can be restored only as it is now. */
export class PointInTime {
  readonly #tables: Tables;
  readonly #clock: Clock;
  /** Since when each table has it. Milliseconds. */
  readonly #since = new Map<string, number>();
  /** The tables that are protected from deletion. Nothing deletes tables here. */
  readonly #protected = new Set<string>();
  /** The `RestoreSummary` of each restored table. */
  readonly #restored = new Map<string, JsonObject>();

  constructor(tables: Tables, clock: Clock) {
    this.#tables = tables;
    this.#clock = clock;
  }

  operations(): Operations {
    return {
      DescribeTable: (input) => this.#describeTable(input),
      UpdateTable: (input) => this.#updateTable(input),
      DescribeContinuousBackups: (input) => this.#describe(input),
      UpdateContinuousBackups: (input) => this.#update(input),
      RestoreTableToPointInTime: (input) => this.#restore(input),
    };
  }

  enable(table: string): void {
    if (!this.#since.has(table)) this.#since.set(table, this.#clock.now());
  }

  protect(table: string, isProtected: boolean): void {
    if (isProtected) this.#protected.add(table);
    else this.#protected.delete(table);
  }

  async #describeTable(input: JsonObject): Promise<JsonObject> {
    const { Table: table = null } = await this.#tables.call('DescribeTable', input);
    if (!isJsonObject(table)) return { Table: table };
    const name = String(table.TableName);
    const summary = this.#restored.get(name);
    const restored = summary && { RestoreSummary: summary };
    return { Table: { ...table, ...restored, DeletionProtectionEnabled: this.#protected.has(name) } };
  }

  async #updateTable({
    TableName = '',
    DeletionProtectionEnabled: wanted,
    ...others
  }: JsonObject): Promise<JsonObject> {
    const [other] = Object.keys(others);
    if (other !== undefined) throw notSupported('ValidationException', `UpdateTable with ${other}`);
    await this.#tables.call('DescribeTable', { TableName });
    if (typeof wanted === 'boolean') this.protect(String(TableName), wanted);
    const { Table: TableDescription = {} } = await this.#describeTable({ TableName });
    return { TableDescription };
  }

  async #describe({ TableName = '' }: JsonObject): Promise<JsonObject> {
    const table = String(TableName);
    await this.#described(table);
    const since = this.#since.get(table);
    const PointInTimeRecoveryDescription =
      since === undefined
        ? { PointInTimeRecoveryStatus: 'DISABLED' }
        : {
            PointInTimeRecoveryStatus: 'ENABLED',
            RecoveryPeriodInDays: 35,
            EarliestRestorableDateTime: since / 1000,
            LatestRestorableDateTime: this.#clock.now() / 1000,
          };
    return { ContinuousBackupsDescription: { ContinuousBackupsStatus: 'ENABLED', PointInTimeRecoveryDescription } };
  }

  async #update({ TableName = '', PointInTimeRecoverySpecification: wanted }: JsonObject): Promise<JsonObject> {
    await this.#described(String(TableName));
    if (isJsonObject(wanted) && wanted.PointInTimeRecoveryEnabled === true) this.enable(String(TableName));
    else this.#since.delete(String(TableName));
    return this.#describe({ TableName });
  }

  async #restore(input: JsonObject): Promise<JsonObject> {
    const [source, target] = [String(input.SourceTableName), String(input.TargetTableName)];
    const described = await this.#described(source);
    if (await this.#find(target)) throw new AwsError('TableAlreadyExistsException', `Table already exists: ${target}`);
    const RestoreDateTime = this.#timeOf(source, input) / 1000;
    const settings = Object.fromEntries(Object.entries(described).filter(([name]) => RESTORED.includes(name)));
    const { GlobalSecondaryIndexes: indexes } = settings;
    if (Array.isArray(indexes)) settings.GlobalSecondaryIndexes = indexes.filter(isJsonObject).map(definitionOf);
    await this.#tables.call('CreateTable', { ...settings, TableName: target, BillingMode: 'PAY_PER_REQUEST' });
    while ((await this.#find(target))?.TableStatus !== 'ACTIVE') await nextTurn();
    this.#tables.copyItems(source, target);
    const SourceTableArn = described.TableArn ?? null;
    this.#restored.set(target, { SourceTableArn, RestoreDateTime, RestoreInProgress: false });
    const { Table: TableDescription = {} } = await this.#describeTable({ TableName: target });
    return { TableDescription };
  }

  /** The time to restore to, in milliseconds. */
  #timeOf(table: string, { RestoreDateTime: time, UseLatestRestorableTime: latest }: JsonObject): number {
    const since = this.#since.get(table);
    if (since === undefined) {
      const problem = `Point in time recovery is not enabled for table '${table}'`;
      throw new AwsError('PointInTimeRecoveryUnavailableException', problem);
    }
    if (latest === true) return this.#clock.now();
    const at = Number(time) * 1000;
    if (!(at >= Math.floor(since / 1000) * 1000 && at <= this.#clock.now())) {
      const problem = 'RestoreDateTime must be between EarliestRestorableDateTime and LatestRestorableDateTime';
      throw new AwsError('InvalidRestoreTimeException', problem);
    }
    if (at < Math.floor(this.#clock.now() / 1000) * 1000)
      throw notSupported('ValidationException', 'a restore to an earlier time than now, because it keeps no history');
    return at;
  }

  async #described(table: string): Promise<JsonObject> {
    const found = await this.#find(table);
    if (found) return found;
    throw new AwsError('TableNotFoundException', `Table not found: ${table}`);
  }

  async #find(TableName: string): Promise<JsonObject | undefined> {
    try {
      const { Table: table = null } = await this.#tables.call('DescribeTable', { TableName });
      return isJsonObject(table) ? table : undefined;
    } catch (error) {
      if (error instanceof AwsError && error.code === 'ResourceNotFoundException') return undefined;
      throw error;
    }
  }
}

/** An index of a description, as CreateTable takes it. */
function definitionOf(index: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(index).filter(([name]) => OF_INDEX.includes(name)));
}
