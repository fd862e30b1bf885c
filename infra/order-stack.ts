import { Annotations, CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { type CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { OrderAlarms } from './constructs/order-alarms.ts';
import { OrderEvents } from './constructs/order-events.ts';
import { OrderFunctions } from './constructs/order-functions.ts';
import { OrderStorage } from './constructs/order-storage.ts';
import { OrderWorkflow, orderStateMachineArn } from './constructs/order-workflow.ts';
import { signingKey } from './constructs/signing-key.ts';
import type { Stage } from './stages.ts';

/** The order workflow of one stage: buckets, table, secret, functions, state machine, and the events that tie them. */
export class OrderStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps & { stage: Stage }) {
    super(scope, id, props);
    const { stage } = props;
    const storage = new OrderStorage(this, 'Storage', stage);
    const credentials = this.credentials(stage);
    const deadLetters = new Queue(this, 'DeadLetters', {
      queueName: `loan-orders-${stage.name}-dead-letters`,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    const stateMachineArn = orderStateMachineArn(this, stage);
    const key = signingKey(this, stage);
    const functions = new OrderFunctions(this, 'Functions', {
      stage,
      storage,
      credentials,
      signingKey: key,
      deadLetters,
      stateMachineArn,
    });
    const { stateMachine } = new OrderWorkflow(this, 'Workflow', { stage, functions });
    new OrderEvents(this, 'Events', { stage, storage, functions, stateMachineArn, deadLetters });
    new OrderAlarms(this, 'Alarms', { stage, stateMachine, deadLetters });
    this.warnOfPlaceholders(stage);
    this.output('IntakeBucket', storage.intake.bucketName, 'Upload order packages here, below orders/<orderRef>/');
    this.output('StagingBucket', storage.staging.bucketName, 'Read documents to sign, offers and answers here');
    this.output('CredentialsSecret', credentials.secretName, 'Put client_id, client_secret and scope here, as JSON');
    this.output('OrderStateMachine', stateMachine.stateMachineArn, 'Watch orders here, in the Step Functions console');
    this.output('OrderTable', storage.orders.tableName, 'The record of every order');
    if (key) this.output('SigningKey', key.keyArn, 'Signs documents; see README, "Signing with KMS"');
    this.output('DeadLetterQueueUrl', deadLetters.queueUrl, 'Events that failed after all retries');
  }

  /**
   * Without any value until the partner puts its credentials into it: a value in the template could one day be deployed over
   * theirs. The functions say what to do while it is empty.
   */
  private credentials(stage: Stage): Secret {
    const secret = new Secret(this, 'Credentials', {
      secretName: `loan-orders-${stage.name}-credentials`,
      description:
        'OAuth 2.0 client credentials at the order service: {"client_id":"…","client_secret":"…","scope":"…"}',
      removalPolicy: stage.keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    (secret.node.defaultChild as CfnSecret).addPropertyDeletionOverride('GenerateSecretString');
    return secret;
  }

  private warnOfPlaceholders({ name, orderService }: Stage): void {
    const addresses = [orderService.baseUrl, orderService.authorizationUrl];
    if (!addresses.some((address) => new URL(address).hostname.endsWith('.example'))) return;
    Annotations.of(this).addWarningV2(
      'loan-orders:placeholder-address',
      `Stage ${name} has a placeholder address: set orderService in infra/stages.ts before you deploy.`,
    );
  }

  private output(id: string, value: string, description: string): void {
    new CfnOutput(this, id, { value, description });
  }
}
