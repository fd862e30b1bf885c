import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { acknowledgeNist } from '../nag.ts';
import type { Stage } from '../stages.ts';

/** A log group with the stage's retention. It is deleted with its stack unless the stage keeps its data. */
export function logGroup(scope: Construct, id: string, stage: Stage, logGroupName: string): LogGroup {
  const logs = new LogGroup(scope, `${id}Logs`, {
    logGroupName,
    retention: stage.logRetentionDays as RetentionDays,
    removalPolicy: stage.keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
  acknowledgeNist(
    logs,
    'CloudWatchLogGroupEncrypted',
    'CloudWatch Logs encrypts every log group with its own keys. No personal data is logged.',
  );
  return logs;
}
