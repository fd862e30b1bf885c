import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { DECISION_MEMBERS } from '../../core/order/decision-schema.ts';
import { orderDefinition } from '../../statemachine/order-definition.ts';
import { clientCertificateSecret } from '../constructs/client-certificate.ts';
import { credentialsSecret, deadLetterQueue } from '../constructs/kept-data.ts';
import { checkHistoryLimit } from '../history-limit.ts';
import { warnOfPlaceholders } from '../placeholders.ts';
import { environmentOf } from '../stage-home.ts';
import type { Stage } from '../stages.ts';
import { OrderAlarms } from './alarms.ts';
import { OrderDashboard } from './dashboard.ts';
import { OrderEventBus } from './event-bus.ts';
import { OrderEvents } from './events.ts';
import { OrderFunctions } from './functions.ts';
import { OrderPeople } from './people.ts';
import { addRelease } from './release.ts';
import { signingKeys } from './signing-key.ts';
import { OrderStorage } from './storage.ts';
import { SweepSchedule } from './sweep-schedule.ts';
import { OrderWorkflow, orderStatesArns } from './workflow.ts';

/** The order workflow of one stage: buckets, table, secret, functions, state machine, events, alarms and dashboard. */
export class OrderStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps & { stage: Stage }) {
    const { stage } = props;
    super(scope, id, { ...environmentOf(stage), ...props });
    const storage = new OrderStorage(this, 'Storage', stage);
    const credentials = credentialsSecret(this, `loan-orders-${stage.name}-credentials`, 'the order service', stage);
    const clientCertificate = clientCertificateSecret(
      this,
      `loan-orders-${stage.name}-client-certificate`,
      stage.orderService,
      stage,
    );
    const deadLetters = deadLetterQueue(this, `loan-orders-${stage.name}-dead-letters`, stage);
    const statesArns = orderStatesArns(this, stage);
    const keys = signingKeys(this, stage);
    const functions = new OrderFunctions(this, 'Functions', {
      stage,
      storage,
      credentials,
      clientCertificate,
      signingKey: keys.documents,
      deadLetters,
      statesArns,
    });
    const definition = orderDefinition();
    checkHistoryLimit(definition, stage);
    const release = addRelease(functions, definition);
    const { stateMachine } = new OrderWorkflow(this, 'Workflow', { stage, functions, definition });
    // The sweep sends orders to its release, so the state machine must start executions of this release by then.
    functions.byName['sweep-orders'].node.addDependency(stateMachine);
    const { queues } = new OrderEvents(this, 'Events', {
      stage,
      storage,
      functions,
      stateMachineArn: statesArns.stateMachine,
    });
    const { bus } = new OrderEventBus(this, 'Told', stage);
    new SweepSchedule(this, 'Sweep', { stage, sweep: functions.byName['sweep-orders'], deadLetters });
    new OrderAlarms(this, 'Alarms', { stage, stateMachine, deadLetters, queues: Object.values(queues) });
    new OrderDashboard(this, 'Overview', { stage, functions, stateMachine, deadLetters, queues });
    new OrderPeople(this, 'People', {
      stage,
      storage,
      stateMachineArn: statesArns.stateMachine,
      queues: Object.values(queues).map(({ queue }) => queue),
      deadLetters: [deadLetters, ...Object.values(queues).map((one) => one.deadLetters)],
      secrets: [credentials, ...(clientCertificate ? [clientCertificate] : [])],
      sweep: functions.byName['sweep-orders'],
      evidenceKey: keys.evidence,
    });
    warnOfPlaceholders(this, stage.name, 'orderService in infra/stages.ts', stage.orderService);
    this.output(
      'IntakeBucket',
      storage.intake.bucketName,
      'Upload order packages to this bucket, below orders/<orderRef>/',
    );
    this.output(
      'StagingBucket',
      storage.staging.bucketName,
      'Read documents to sign, offers and answers from this bucket',
    );
    this.output(
      'CredentialsSecret',
      credentials.secretName,
      'Put client_id, client_secret and scope into this secret, as JSON',
    );
    this.output('OrderStateMachine', stateMachine.stateMachineArn, 'The state machine that drives the orders');
    this.output('EventBus', bus.eventBusName, 'What happens to the orders, for others: docs/events.md');
    this.output('OrderTable', storage.orders.tableName, 'The record of every order');
    if (keys.documents)
      this.output(
        'SigningKey',
        keys.documents.keyArn,
        'The KMS key that signs documents; see docs/signing.md, "Signing with KMS"',
      );
    if (keys.evidence)
      this.output('EvidenceKey', keys.evidence.keyArn, 'The KMS key that signs evidence; see docs/evidence.md');
    this.output(
      'LegalHold',
      String(stage.retention.legalHold),
      'Whether the stage keeps all data, so that nothing can be erased',
    );
    this.output(
      'Release',
      release,
      'Identifies the state machine, and the code and settings of the functions that it invokes',
    );
    this.output(
      'DecisionMembers',
      DECISION_MEMBERS.join(' '),
      'What a decision.json may hold, for command lines of later releases',
    );
    this.output('DeadLetterQueueUrl', deadLetters.queueUrl, 'Starts of the sweep that failed after all retries');
  }

  private output(id: string, value: string, description: string): void {
    new CfnOutput(this, id, { value, description });
  }
}
