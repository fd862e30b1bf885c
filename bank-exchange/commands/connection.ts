import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { clientSettings, type PlaceOptions } from '../../commands/stage/place.ts';
import { stackOutputs } from '../../commands/stage/stack-outputs.ts';
import { exchangeStackName } from '../infra/names.ts';
import { ExchangeExecutions } from './executions.ts';
import { ExchangeRecord } from './record.ts';

/** The resources of a stage's bank exchange that the legacy commands use. */
export interface ExchangeConnection {
  record: ExchangeRecord;
  executions: ExchangeExecutions;
  /** The bucket that the bank uploads to. */
  intake: { s3: S3Client; bucket: string };
}

/**
 * Finds the bank exchange of a stage by the outputs of its stack.
 * @throws Refusal when it is not deployed there.
 */
export async function connectExchange(options: PlaceOptions): Promise<ExchangeConnection> {
  const outputs = await stackOutputs(options, exchangeStackName);
  const settings = clientSettings(options);
  return {
    record: new ExchangeRecord(new DynamoDBClient(settings), outputs('ExchangeTable')),
    executions: new ExchangeExecutions(new SFNClient(settings), outputs('ExchangeStateMachine')),
    // The laptop's address is an IP address, which can have no bucket subdomains.
    intake: {
      s3: new S3Client({ ...settings, forcePathStyle: Boolean(options.local) }),
      bucket: outputs('IntakeBucket'),
    },
  };
}
