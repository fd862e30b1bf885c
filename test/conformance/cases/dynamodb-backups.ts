import { DescribeContinuousBackupsCommand, DescribeTableCommand, DynamoDBClient, RestoreTableToPointInTimeCommand, UpdateContinuousBackupsCommand } from '@aws-sdk/client-dynamodb';
import { casesOf, moto } from '../case.ts';

const { answers, refuses } = casesOf(DynamoDBClient, 'https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_{operation}.html');
const restore = ({ table = '' }) => ({ SourceTableName: table, TargetTableName: `${table}-restored`, UseLatestRestorableTime: true });

/** No case restores a table: on AWS that takes minutes, and leaves a table. test/workflow/recovery/restored-table.test.ts does it. */
export const dynamoDbBackups = [
  answers(
    'a table that was not restored',
    DescribeTableCommand,
    ({ table }) => ({ TableName: table }),
    ({ Table }) => [Table?.TableStatus, Table?.RestoreSummary],
    ['ACTIVE', undefined],
  ),
  answers(
    'a table without point-in-time recovery',
    DescribeContinuousBackupsCommand,
    ({ table }) => ({ TableName: table }),
    ({ ContinuousBackupsDescription: found }) => found?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus,
    'DISABLED',
  ),
  refuses('a table that does not exist', DescribeContinuousBackupsCommand, { TableName: 'conformance-none' }, 'TableNotFoundException'),
  refuses('a table without point-in-time recovery', RestoreTableToPointInTimeCommand, restore, 'PointInTimeRecoveryUnavailableException', moto('accepted', 'moto does not check it.')),
  refuses(
    'a source that does not exist',
    RestoreTableToPointInTimeCommand,
    restore({ table: 'conformance-none' }),
    'TableNotFoundException',
    moto('SourceTableNotFoundException', 'DynamoDB has no such exception.'),
  ),
  answers(
    'a table with it',
    UpdateContinuousBackupsCommand,
    ({ table }) => ({ TableName: table, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }),
    ({ ContinuousBackupsDescription: found }) => found?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus,
    'ENABLED',
  ),
  refuses(
    'a time before it was enabled',
    RestoreTableToPointInTimeCommand,
    (scope) => ({ ...restore(scope), TargetTableName: `${scope.table}-earlier`, UseLatestRestorableTime: false, RestoreDateTime: new Date('2026-01-01') }),
    'InvalidRestoreTimeException',
    moto('accepted', 'moto does not check it.'),
  ),
];
