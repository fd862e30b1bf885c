import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ANSWERS_PREFIX } from '../../core/people/rejected-upload.ts';
import { stackSettings, variableOf } from '../../core/settings.ts';
import type { TextFile } from '../constructs/bundled-code.ts';
import { BundledFunction } from '../constructs/bundled-function.ts';
import { allowClientCertificate, type SecretArn, serviceAuthorities } from '../constructs/client-certificate.ts';
import { constructId } from '../constructs/construct-id.ts';
import {
  allowIndex,
  allowObjects,
  allowSecret,
  allowSigning,
  allowStates,
  allowTable,
  type StatesArns,
} from '../constructs/rights.ts';
import type { Stage } from '../stages.ts';
import { runsAtOnce } from './calls-at-once.ts';
import { allowEvents } from './event-bus.ts';
import { type Definition, definitions, type FunctionName } from './function-definitions.ts';
import type { OrderStorage } from './storage.ts';

export interface OrderFunctionsProps {
  stage: Stage;
  storage: OrderStorage;
  credentials: Secret;
  /** Undefined if the stage has none. */
  clientCertificate: SecretArn | undefined;
  /** Undefined if the stage has none. */
  signingKey: IKey | undefined;
  deadLetters: IQueue;
  /** Built from the name: the state machine is created after the functions. */
  statesArns: StatesArns;
}

export class OrderFunctions extends Construct {
  readonly byName: Record<FunctionName, BundledFunction>;

  constructor(scope: Construct, id: string, props: OrderFunctionsProps) {
    super(scope, id);
    const functions = Object.entries(definitions).map(([name, definition]) => [
      name,
      this.add(name, definition, props),
    ]);
    this.byName = Object.fromEntries(functions) as Record<FunctionName, BundledFunction>;
  }

  private add(name: string, definition: Definition, props: OrderFunctionsProps): BundledFunction {
    const { description, environment = [], table, indexes = [], intake, staging, rejected, states } = definition;
    const { callsService, files = false, judgesSignatures, signs, asynchronous, tells } = definition;
    const { stage, storage, credentials, clientCertificate, signingKey, deadLetters, statesArns } = props;
    const id = constructId(name);
    const target = new BundledFunction(this, id, {
      stage,
      name,
      description,
      files,
      runsAtOnce: runsAtOnce(stage.callsAtOnce, name),
      environment: Object.assign({}, ...environment.map((values) => values(stage))),
      texts: [
        ...(judgesSignatures ? signatureAuthorities(stage) : []),
        ...(callsService ? serviceAuthorities(stage.orderService) : []),
      ],
      ...(asynchronous && { deadLetters }),
    });
    allowTable(target, storage.orders, table);
    for (const index of indexes) allowIndex(target, storage.orders, index);
    if (tells) allowEvents(target, stage);
    if (intake) allowObjects(target, storage.intake, variableOf(stackSettings, 'intakeBucket'), intake);
    if (staging) {
      const write = [...(staging.write ?? []), ...(callsService ? ['errors/*'] : [])];
      allowObjects(target, storage.staging, variableOf(stackSettings, 'stagingBucket'), {
        ...staging,
        ...(write.length > 0 && { write }),
      });
    }
    if (rejected)
      allowObjects(target, storage.staging, variableOf(stackSettings, 'stagingBucket'), rejected, ANSWERS_PREFIX);
    if (callsService) {
      allowSecret(target, credentials);
      allowClientCertificate(target, clientCertificate);
    }
    if (signs) allowSigning(target, signingKey, storage.intake);
    if (states) allowStates(target, states, statesArns);
    return target;
  }
}

/** For a function that judges signatures: the authorities that may issue signers' certificates, if the stage names some. */
function signatureAuthorities({ signing: { caBundle } }: Stage): TextFile[] {
  if (caBundle === undefined) return [];
  return [{ variable: 'SIGNATURE_AUTHORITIES_FILE', file: 'signature-authorities.pem', text: caBundle }];
}
