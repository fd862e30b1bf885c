import { once } from 'node:events';
import { connect } from 'node:net';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { startHandmade } from '../cloudformation/handmade-assembly.ts';

test('DynamoDB keeps working after a request that breaks off', async () => {
  const { aws, config } = await startHandmade({ Stack: { Resources: {} } });
  const { hostname, port } = new URL(aws.endpoint);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nX-Amz-Target: DynamoDB_20120810.Query\r\nContent-Length: 1000\r\n\r\n{');
  await new Promise((turned) => setImmediate(turned));
  socket.destroy();
  await once(socket, 'close');
  const dynamodb = new DynamoDBClient(config);
  expect((await dynamodb.send(new ListTablesCommand({}))).TableNames).toEqual([]);
});
