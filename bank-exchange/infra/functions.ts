import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { stackSettings, variableOf } from '../../core/settings.ts';
import { BundledFunction } from '../../infra/constructs/bundled-function.ts';
import {
  allowClientCertificate,
  type SecretArn,
  serviceAuthorities,
} from '../../infra/constructs/client-certificate.ts';
import { constructId } from '../../infra/constructs/construct-id.ts';
import { allowObjects, allowPutEvents, allowSecret, allowTable } from '../../infra/constructs/rights.ts';
import { acknowledgePatterns } from '../../infra/nag.ts';
import { type Definition, definitions, type ExchangeFunctionName } from './function-definitions.ts';
import { exchangeArn } from './names.ts';
import type { ExchangeStage } from './settings.ts';
import type { ExchangeStorage } from './storage.ts';

export interface ExchangeFunctionsProps {
  stage: ExchangeStage;
  storage: ExchangeStorage;
  credentials: Secret;
  /** Undefined if the stage has none. */
  clientCertificate: SecretArn | undefined;
  deadLetters: IQueue;
}

export class ExchangeFunctions extends Construct {
  readonly byName: Record<ExchangeFunctionName, BundledFunction>;

  constructor(scope: Construct, id: string, props: ExchangeFunctionsProps) {
    super(scope, id);
    const functions = Object.entries(definitions).map(([name, definition]) => [
      name,
      this.add(name, definition, props),
    ]);
    this.byName = Object.fromEntries(functions) as Record<ExchangeFunctionName, BundledFunction>;
  }

  private add(name: string, definition: Definition, props: ExchangeFunctionsProps): BundledFunction {
    const { description, environment = [], table, intake, staging } = definition;
    const { callsService = false, byEvents = false } = definition;
    const { stage, storage, credentials, clientCertificate, deadLetters } = props;
    const id = constructId(name);
    const target = new BundledFunction(this, id, {
      stage,
      name,
      description,
      environment: Object.assign({}, ...environment.map((values) => values(stage))),
      ...(callsService && { texts: serviceAuthorities(stage.exchange) }),
      ...(byEvents && { deadLetters }),
    });
    allowTable(target, storage.exchange, table, 'EXCHANGE_TABLE');
    if (intake) allowObjects(target, storage.intake, variableOf(stackSettings, 'intakeBucket'), intake, '');
    const write = [...(staging?.write ?? []), ...(callsService ? ['legacy/errors/*'] : [])];
    const rights = { ...staging, ...(write.length > 0 && { write }) };
    if (staging || callsService)
      allowObjects(target, storage.staging, variableOf(stackSettings, 'stagingBucket'), rights, '');
    if (callsService) {
      allowSecret(target, credentials);
      allowClientCertificate(target, clientCertificate);
    }
    this.allowOthers(target, definition, stage);
    return target;
  }

  private allowOthers(target: BundledFunction, { states, publishes }: Definition, stage: ExchangeStage): void {
    if (states) {
      const resource = states === 'StartExecution' ? 'stateMachine' : 'execution';
      const resources = [exchangeArn(this, stage, resource)];
      target.addToRolePolicy(new PolicyStatement({ actions: [`states:${states}`], resources }));
    }
    if (states === 'DescribeExecution' && target.role) {
      acknowledgePatterns(
        target.role,
        [exchangeArn(this, stage, 'execution')],
        'The function describes executions of this state machine, whose names are not known in advance.',
      );
    }
    if (states === 'StartExecution') {
      target.addEnvironment('EXCHANGE_STATE_MACHINE', exchangeArn(this, stage, 'stateMachine'));
    }
    if (publishes) {
      const bus = Stack.of(this).formatArn({ service: 'events', resource: 'event-bus', resourceName: 'default' });
      allowPutEvents(target, bus, 'loan-orders.legacy');
    }
  }
}
