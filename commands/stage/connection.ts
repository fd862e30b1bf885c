import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SFNClient } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { CreationRecord } from './creation-record.ts';
import { Executions } from './executions.ts';
import { clientSettings, type PlaceOptions } from './place.ts';
import { OrderRecord } from './record.ts';
import { stackOutputs } from './stack-outputs.ts';

/** A stage's order table and state machine, which the operator commands use. */
export interface Connection {
  record: OrderRecord;
  creations: CreationRecord;
  executions: Executions;
  /** The release that new executions run. Throws a Refusal if the deployed stack does not tell. */
  release: () => string;
}

/** @throws Refusal when the stage is not deployed there. */
export async function connect(options: PlaceOptions): Promise<Connection> {
  const [outputs, settings] = [await stackOutputs(options), clientSettings(options)];
  const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(settings));
  const table = outputs('OrderTable');
  return {
    record: new OrderRecord(dynamodb, table),
    creations: new CreationRecord(dynamodb, table),
    executions: new Executions(new SFNClient(settings), outputs('OrderStateMachine')),
    release: () => outputs('Release'),
  };
}
