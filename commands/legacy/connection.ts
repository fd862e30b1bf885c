import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { clientSettings, type PlaceOptions } from '../stage/place.ts';
import { stackOutputs } from '../stage/stack-outputs.ts';
import { ExchangeExecutions } from './executions.ts';
import { ExchangeRecord } from './record.ts';

/** A stage's bank exchange, found: what the legacy commands work with. */
export interface LegacyConnection {
  record: ExchangeRecord;
  executions: ExchangeExecutions;
  /** Where files of the bank are put. */
  intake: { s3: S3Client; bucket: string };
}

/**
 * Finds the bank exchange of a stage by the outputs of its stack.
 * @throws Refusal when it is not deployed there.
 */
export async function connectLegacy(options: PlaceOptions): Promise<LegacyConnection> {
  const outputs = await stackOutputs(options, `LoanOrdersLegacy-${options.stage}`);
  const settings = clientSettings(options);
  const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(settings));
  return {
    record: new ExchangeRecord(dynamodb, outputs('ExchangeTable')),
    executions: new ExchangeExecutions(new SFNClient(settings), outputs('ExchangeStateMachine')),
    // By path on the laptop: its address has no names for buckets below it.
    intake: {
      s3: new S3Client({ ...settings, forcePathStyle: Boolean(options.local) }),
      bucket: outputs('IntakeBucket'),
    },
  };
}
