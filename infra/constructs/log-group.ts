import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { acknowledgeNist } from '../nag.ts';
import type { Stage } from '../stages.ts';
import { dataKey } from './data-key.ts';

/** A log group with the stage's retention. It is deleted with its stack unless the stage keeps its data. */
export function logGroup(scope: Construct, id: string, stage: Stage, logGroupName: string): LogGroup {
  const key = dataKey(scope, stage);
  const logs = new LogGroup(scope, `${id}Logs`, {
    logGroupName,
    ...(key && { encryptionKey: key }),
    retention: stage.logRetentionDays as RetentionDays,
    removalPolicy: stage.keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
  if (!key) {
    acknowledgeNist(
      logs,
      'CloudWatchLogGroupEncrypted',
      'CloudWatch Logs encrypts every log group with its own keys. The setting encryption gives it another key.',
    );
  }
  return logs;
}
