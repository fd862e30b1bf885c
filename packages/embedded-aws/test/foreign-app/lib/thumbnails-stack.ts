import { join } from 'node:path';
import * as cdk from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import * as s3 from 'aws-cdk-lib/aws-s3';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';

/** A message in the queue starts a state machine, which waits a minute and ends. The function writes a receipt to the bucket. */
export class ThumbnailsStack extends cdk.Stack {
  constructor(scope: Construct, id: string, props?: cdk.StackProps) {
    super(scope, id, props);
    const receipts = new s3.Bucket(this, 'Receipts');
    const queue = new sqs.Queue(this, 'Pictures', { visibilityTimeout: cdk.Duration.seconds(300) });
    const machine = new sfn.StateMachine(this, 'Machine', {
      definitionBody: sfn.DefinitionBody.fromChainable(
        new sfn.Wait(this, 'Cool down', { time: sfn.WaitTime.duration(cdk.Duration.minutes(1)) }).next(
          new sfn.Succeed(this, 'Done'),
        ),
      ),
    });
    const resize = new lambda.Function(this, 'Resize', {
      runtime: lambda.Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code: lambda.Code.fromAsset(join(import.meta.dirname, '..', 'functions')),
      timeout: cdk.Duration.seconds(30),
      environment: { RECEIPTS: receipts.bucketName, MACHINE: machine.stateMachineArn },
    });
    resize.addEventSource(new SqsEventSource(queue));
    receipts.grantPut(resize);
    machine.grantStartExecution(resize);
    new cdk.CfnOutput(this, 'Bucket', { value: receipts.bucketName });
    new cdk.CfnOutput(this, 'Queue', { value: queue.queueUrl });
    new cdk.CfnOutput(this, 'StateMachine', { value: machine.stateMachineArn });
  }
}
