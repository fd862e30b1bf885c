import { DynamoDBClient, GetItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { casesOf } from '../case.ts';

const { answers, refuses } = casesOf(
  'https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_',
  ({ table }) => ({ TableName: table }),
);
const key = (pk: string, sk: string) => ({ pk: { S: pk }, sk: { S: sk } });

export const dynamoDb = {
  service: 'DynamoDB',
  client: DynamoDBClient,
  cases: [
    answers('an item', PutItemCommand, { Item: { ...key('one', 'a'), n: { N: '1' } } }, () => 'stored', 'stored'),
    answers('an item', GetItemCommand, { Key: key('one', 'a') }, ({ Item }) => Item?.n, { N: '1' }),
    refuses('an empty partition key', PutItemCommand, { Item: key('', 'a') }, 'ValidationException'),
    refuses('an empty sort key', GetItemCommand, { Key: key('one', '') }, 'ValidationException'),
    refuses(
      'an empty begins_with on the sort key',
      QueryCommand,
      {
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': { S: 'one' }, ':prefix': { S: '' } },
      },
      'ValidationException',
    ),
  ],
};
