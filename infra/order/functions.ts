import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { OrderFunction } from '../constructs/bundled-function.ts';
import { allowObjects, allowSecret, allowSigning, allowStates, allowTable } from '../constructs/rights.ts';
import type { Stage } from '../stages.ts';
import { type Definition, definitions, type FunctionName } from './function-definitions.ts';
import {
  confirmEnvironment,
  gateEnvironment,
  offersEnvironment,
  readEnvironment,
  serviceEnvironment,
  signatureEnvironment,
  signingEnvironment,
} from './function-environments.ts';
import type { OrderStorage } from './storage.ts';

export interface OrderFunctionsProps {
  stage: Stage;
  storage: OrderStorage;
  credentials: Secret;
  /** Where the stage has one. */
  signingKey: IKey | undefined;
  deadLetters: IQueue;
  /** Named ahead of the state machine, which needs the functions first. */
  stateMachineArn: string;
}

export class OrderFunctions extends Construct {
  readonly byName: Record<FunctionName, OrderFunction>;

  constructor(scope: Construct, id: string, props: OrderFunctionsProps) {
    super(scope, id);
    const functions = Object.entries(definitions).map(([name, definition]) => [
      name,
      this.add(name, definition, props),
    ]);
    this.byName = Object.fromEntries(functions) as Record<FunctionName, OrderFunction>;
  }

  private add(name: string, definition: Definition, props: OrderFunctionsProps): OrderFunction {
    const { description, table, intake, staging, callsService, files = false, byEvents, states } = definition;
    const { judgesSignatures, signs } = definition;
    const { stage, storage, credentials, signingKey, deadLetters, stateMachineArn } = props;
    const environment = {
      ...(callsService && serviceEnvironment(stage)),
      ...(judgesSignatures && gateEnvironment(stage)),
      ...(name === 'read-order' && readEnvironment(stage)),
      ...((name === 'read-order' || name === 'confirm-offer') && confirmEnvironment(stage)),
      ...(name === 'upload-signature' && signatureEnvironment(stage)),
      ...(name === 'intake' && signingEnvironment(stage)),
      ...((name === 'intake' || name === 'choose-offer') && offersEnvironment(stage)),
    };
    const { caBundle } = stage.signing;
    const id = constructId(name);
    const target = new OrderFunction(this, id, {
      stage,
      name,
      description,
      files,
      environment,
      ...(judgesSignatures && caBundle !== undefined && { constants: { SIGNATURE_AUTHORITIES: caBundle } }),
      ...(byEvents && { deadLetters }),
    });
    allowTable(target, storage.orders, table);
    if (intake) allowObjects(target, storage.intake, 'INTAKE_BUCKET', intake);
    if (staging) {
      const write = [...(staging.write ?? []), ...(callsService ? ['errors/*'] : [])];
      allowObjects(target, storage.staging, 'STAGING_BUCKET', { ...staging, ...(write.length > 0 && { write }) });
    }
    if (callsService) allowSecret(target, credentials);
    if (signs) allowSigning(target, signingKey, storage.intake);
    if (states) allowStates(target, states, stateMachineArn);
    return target;
  }
}

/** `create-order` as `CreateOrder`: construct id, and `CreateOrderArn` in the state machine file. */
export function constructId(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_match, _dash, letter: string) => letter.toUpperCase());
}
