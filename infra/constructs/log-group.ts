import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Stage } from '../stages.ts';

/** A log group that ends with its stack unless the stage keeps its data, and forgets after the stage's days. */
export function logGroup(scope: Construct, id: string, stage: Stage, logGroupName: string): LogGroup {
  return new LogGroup(scope, `${id}Logs`, {
    logGroupName,
    retention: stage.logRetentionDays as RetentionDays,
    removalPolicy: stage.keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
}
