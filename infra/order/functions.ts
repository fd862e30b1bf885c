import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { EVENT_SOURCE } from '../../core/events/order-event.ts';
import { ANSWERS_PREFIX } from '../../core/people/rejected-upload.ts';
import { stackSettings, variableOf } from '../../core/settings.ts';
import { addFunction, type FunctionResources, stageText } from '../constructs/add-function.ts';
import type { TextFile } from '../constructs/bundled-code.ts';
import type { BundledFunction } from '../constructs/bundled-function.ts';
import { allowObjects, allowSigning } from '../constructs/rights.ts';
import type { Stage } from '../stages.ts';
import { runsAtOnce } from './calls-at-once.ts';
import { eventBus } from './events.ts';
import { type Definition, definitions, type FunctionName, PAGES } from './function-definitions.ts';

export type OrderFunctions = Record<FunctionName, BundledFunction>;

type Given = Omit<FunctionResources<Stage>, 'prefix' | 'errors' | 'connection' | 'bus' | 'variables'> & {
  /** Undefined if the stage has none. */
  signingKey: IKey | undefined;
};

/** Adds the functions of the order workflow, by name. */
export function addOrderFunctions(scope: Construct, id: string, { signingKey, ...given }: Given): OrderFunctions {
  const functions = new Construct(scope, id);
  const { stage } = given;
  const bus = eventBus(scope, stage);
  const resources = {
    ...given,
    prefix: 'orders/*/',
    errors: 'errors/*',
    connection: stage.orderService,
    bus: { arn: bus.arn, source: EVENT_SOURCE },
    variables: { table: variableOf(stackSettings, 'orderTable'), states: variableOf(stackSettings, 'stateMachine') },
  };
  const made = Object.entries<Definition>(definitions).map(([name, definition]) => {
    const { judgesSignatures, rejected, signs, tells } = definition;
    const target = addFunction(functions, name, withPages(definition), resources, {
      runsAtOnce: runsAtOnce(stage.callsAtOnce, name),
      texts: [
        ...(judgesSignatures ? signatureTexts(stage) : []),
        ...(name === 'check-package' ? stageText('orderSchema', stage.orderSchema) : []),
      ],
    });
    if (tells) target.addEnvironment(variableOf(stackSettings, 'eventBus'), bus.name);
    if (rejected) allowObjects(target, given.staging, rejected, ANSWERS_PREFIX);
    if (signs) allowSigning(target, signingKey, given.intake);
    return [name, target];
  });
  return Object.fromEntries(made) as OrderFunctions;
}

function signatureTexts({ signing: { caBundle, timeStampAuthorities, crl } }: Stage): TextFile[] {
  return [
    ...stageText('signatureAuthorities', caBundle),
    ...stageText('timeStampAuthorities', timeStampAuthorities),
    ...stageText('revocationLists', crl),
  ];
}

/** A function that tells others of an order also publishes the pages of its record. */
function withPages(definition: Definition): Definition {
  const { tells, staging: { read = [], write = [], ...staging } = {} } = definition;
  if (!tells) return definition;
  return { ...definition, staging: { ...staging, read: [...read, ...PAGES], write: [...write, ...PAGES], list: true } };
}

/** The functions that the state machine invokes, by name. */
export function stepsOf(functions: OrderFunctions): [FunctionName, BundledFunction][] {
  const all = Object.entries(functions) as [FunctionName, BundledFunction][];
  return all.filter(([name]) => !('noStep' in definitions[name]));
}
