import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SFNClient } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Executions } from './executions.ts';
import { clientSettings, type PlaceOptions } from './place.ts';
import { OrderRecord } from './record.ts';
import { stackOutputs } from './stack-outputs.ts';

/** A stage's order table and state machine, found: what the operators' commands work with. */
export interface Connection {
  record: OrderRecord;
  executions: Executions;
}

/** @throws Refusal when the stage is not deployed there. */
export async function connect(options: PlaceOptions): Promise<Connection> {
  const [outputs, settings] = [await stackOutputs(options), clientSettings(options)];
  const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(settings));
  return {
    record: new OrderRecord(dynamodb, outputs('OrderTable')),
    executions: new Executions(new SFNClient(settings), outputs('OrderStateMachine')),
  };
}
