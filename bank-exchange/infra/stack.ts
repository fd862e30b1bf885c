import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { clientCertificateSecret } from '../../infra/constructs/client-certificate.ts';
import { credentialsSecret, deadLetterQueue } from '../../infra/constructs/kept-data.ts';
import { warnOfPlaceholders } from '../../infra/placeholders.ts';
import { environmentOf } from '../../infra/stage-home.ts';
import { ExchangeAlarms } from './alarms.ts';
import { ExchangeEvents } from './events.ts';
import { ExchangeFunctions } from './functions.ts';
import { exchangeArn } from './names.ts';
import { ExchangeSchedules } from './schedules.ts';
import type { ExchangeStage } from './settings.ts';
import { ExchangeStorage } from './storage.ts';
import { ExchangeWorkflow } from './workflow.ts';

/**
 * The obsolete bank exchange of one stage (specification, 4.3). It shares no resource with the order stack, so it can be deployed
 * with or without it, and removed completely.
 */
export class ExchangeStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps & { stage: ExchangeStage }) {
    const { stage } = props;
    super(scope, id, { ...environmentOf(stage), ...props });
    const prefix = `loan-orders-${stage.name}-legacy`;
    const storage = new ExchangeStorage(this, 'Storage', stage);
    const credentials = credentialsSecret(this, `${prefix}-credentials`, 'the bank exchange', stage);
    const clientCertificate = clientCertificateSecret(this, `${prefix}-client-certificate`, stage.exchange, stage);
    const deadLetters = deadLetterQueue(this, `${prefix}-dead-letters`, stage);
    const stateMachineArn = exchangeArn(this, stage, 'stateMachine');
    const functions = new ExchangeFunctions(this, 'Functions', {
      stage,
      storage,
      credentials,
      clientCertificate,
      deadLetters,
    });
    const { stateMachine } = new ExchangeWorkflow(this, 'Workflow', { stage, functions });
    new ExchangeEvents(this, 'Events', { stage, storage, functions, stateMachineArn, deadLetters });
    new ExchangeSchedules(this, 'Schedules', { stage, stateMachineArn, deadLetters });
    new ExchangeAlarms(this, 'Alarms', { stage, stateMachine, deadLetters });
    warnOfPlaceholders(this, stage.name, 'its addresses in bank-exchange/infra/settings.ts', stage.exchange);
    this.output('IntakeBucket', storage.intake.bucketName, 'Upload statuses and offers to this bucket, below legacy/');
    this.output('StagingBucket', storage.staging.bucketName, 'Read requests, tax numbers and answers from this bucket');
    this.output(
      'CredentialsSecret',
      credentials.secretName,
      'Put client_id, client_secret and scope into this secret, as JSON',
    );
    this.output('ExchangeStateMachine', stateMachine.stateMachineArn, 'The state machine of the exchange');
    this.output('ExchangeTable', storage.exchange.tableName, 'The record of runs, requests, batches and uploads');
    this.output('DeadLetterQueueUrl', deadLetters.queueUrl, 'Events that failed after all retries');
  }

  private output(id: string, value: string, description: string): void {
    new CfnOutput(this, id, { value, description });
  }
}
