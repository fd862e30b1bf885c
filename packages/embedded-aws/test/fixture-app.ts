import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as cdk from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as destinations from 'aws-cdk-lib/aws-lambda-destinations';
import * as s3 from 'aws-cdk-lib/aws-s3';
import * as secrets from 'aws-cdk-lib/aws-secretsmanager';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import * as stepfunctions from 'aws-cdk-lib/aws-stepfunctions';
import { buildSync } from 'esbuild';
import { fixtureDefinition } from './step-functions/fixture-definition.ts';

export const STACK = 'Fixture';

/** A small stack with one of each resource type, synthesized to a temporary folder. */
export interface FixtureAssembly {
  directory: string;
  remove: () => void;
}

export function synthesizeFixture(customize?: (stack: cdk.Stack) => void): FixtureAssembly {
  const root = mkdtempSync(join(tmpdir(), 'fixture-app-'));
  const code = join(root, 'code');
  buildSync({
    entryPoints: [join(import.meta.dirname, 'fixture-handlers.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    mainFields: ['module', 'main'],
    outfile: join(code, 'index.mjs'),
  });
  const app = new cdk.App({ outdir: join(root, 'cdk.out'), analyticsReporting: false });
  const stack = new FixtureStack(app, code);
  customize?.(stack);
  const { directory } = app.synth();
  return { directory, remove: () => rmSync(root, { recursive: true, force: true }) };
}

class FixtureStack extends cdk.Stack {
  readonly #code: lambda.Code;

  constructor(app: cdk.App, code: string) {
    super(app, STACK);
    this.#code = lambda.Code.fromAsset(code);
    const bucket = new s3.Bucket(this, 'Intake', { versioned: true });
    (bucket.node.defaultChild as s3.CfnBucket).notificationConfiguration = {
      eventBridgeConfiguration: { eventBridgeEnabled: true },
    };
    const plain = new s3.Bucket(this, 'Plain');
    const table = new dynamodb.Table(this, 'Table', {
      partitionKey: { name: 'id', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryption: dynamodb.TableEncryption.AWS_MANAGED,
    });
    table.addGlobalSecondaryIndex({
      indexName: 'byKind',
      partitionKey: { name: 'kind', type: dynamodb.AttributeType.STRING },
    });
    const secret = new secrets.Secret(this, 'Secret', {
      generateSecretString: {
        secretStringTemplate: '{"client_id":"me"}',
        generateStringKey: 'client_secret',
        passwordLength: 20,
      },
    });
    const deadLetters = new sqs.Queue(this, 'DeadLetters');
    const machine = this.#stateMachine();
    this.#rule(bucket, machine, deadLetters);
    this.#functions(table, secret, deadLetters);
    const outputs = {
      Bucket: bucket.bucketName,
      Plain: plain.bucketName,
      Table: table.tableName,
      Secret: secret.secretArn,
    };
    const more = { Queue: deadLetters.queueUrl, StateMachine: machine.stateMachineArn };
    for (const [name, value] of Object.entries({ ...outputs, ...more })) {
      new cdk.CfnOutput(this, `${name}Output`, { value }).overrideLogicalId(`${name}Output`);
    }
  }

  #function(name: string, environment: Record<string, string> = {}, props: Partial<lambda.FunctionProps> = {}) {
    return new lambda.Function(this, name, {
      runtime: lambda.Runtime.NODEJS_24_X,
      code: this.#code,
      timeout: cdk.Duration.seconds(20),
      environment,
      handler: `index.${name}`,
      functionName: `fixture-${name}`,
      memorySize: 256,
      ...props,
    });
  }

  #stateMachine() {
    const [double, flaky] = [this.#function('double'), this.#function('flaky')];
    return new stepfunctions.StateMachine(this, 'Machine', {
      definitionBody: stepfunctions.DefinitionBody.fromString(JSON.stringify(fixtureDefinition)),
      definitionSubstitutions: {
        DoubleArn: double.functionArn,
        FlakyArn: flaky.functionArn,
        AskArn: `arn:aws:lambda:${this.region}:${this.account}:function:fixture-ask`,
      },
    });
  }

  #rule(bucket: s3.Bucket, machine: stepfunctions.StateMachine, deadLetters: sqs.Queue) {
    const intake = this.#function('intake', { STATE_MACHINE_ARN: machine.stateMachineArn });
    bucket.grantRead(intake);
    machine.grantStartExecution(intake);
    new events.Rule(this, 'Uploaded', {
      eventPattern: {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: { bucket: { name: [bucket.bucketName] }, object: { key: [{ wildcard: 'orders/*/order.json' }] } },
      },
      targets: [new targets.LambdaFunction(intake, { deadLetterQueue: deadLetters })],
    });
    new events.Rule(this, 'Ended', {
      eventPattern: {
        source: ['aws.states'],
        detail: { status: ['FAILED', 'ABORTED'], stateMachineArn: [machine.stateMachineArn] },
      },
      targets: [new targets.SqsQueue(deadLetters)],
    });
  }

  #functions(table: dynamodb.Table, secret: secrets.Secret, deadLetters: sqs.Queue) {
    table.grantWriteData(this.#function('ask', { TABLE_NAME: table.tableName }));
    table.grantReadData(this.#function('readTable', { TABLE_NAME: table.tableName }));
    secret.grantRead(this.#function('readSecret', { SECRET_ARN: secret.secretArn }));
    this.#function('alwaysFail', {}, { retryAttempts: 1, onFailure: new destinations.SqsDestination(deadLetters) });
  }
}
