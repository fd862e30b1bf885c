import { Annotations } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { EVENT_SOURCE } from '../../core/events/order-event.ts';
import { REVOCATION_LISTS } from '../../core/package/intake-key.ts';
import { stackSettings, variableOf } from '../../core/settings.ts';
import { ANSWERS_PREFIX } from '../../core/staging/rejected-upload.ts';
import { addFunction, type FunctionResources, settingText, stepsOf } from '../constructs/add-function.ts';
import type { TextFile } from '../constructs/bundled-code.ts';
import type { BundledFunction } from '../constructs/bundled-function.ts';
import { allow, allowObjects, allowSigning } from '../constructs/rights.ts';
import { LEAST_UNRESERVED } from '../deployed-settings.ts';
import type { Stage } from '../stages.ts';
import { eventBus } from './events.ts';
import { type Definition, definitions, type FunctionName, PAGES } from './function-definitions.ts';

export type OrderFunctions = Record<FunctionName, BundledFunction>;

type Given = Omit<FunctionResources, 'prefix' | 'errors' | 'connection' | 'bus' | 'variables'> & {
  /** Undefined if the stage has none. */
  signingKey: IKey | undefined;
};

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
  const runs = stage.callsAtOnce === undefined ? undefined : divided(stage.callsAtOnce);
  const made = Object.entries<Definition>(definitions).map(([name, definition]) => {
    const { judgesSignatures, rejected, signs, tells } = definition;
    const target = addFunction(functions, name, withPages(definition), resources, {
      runsAtOnce: runs?.get(name),
      texts: [
        ...(judgesSignatures ? signatureTexts(stage) : []),
        ...(name === 'check-package' ? packageTexts(stage) : []),
      ],
    });
    if (stage.existing.table !== undefined) target.addEnvironment(variableOf(stackSettings, 'isTableAdopted'), 'true');
    if (tells) target.addEnvironment(variableOf(stackSettings, 'eventBus'), bus.name);
    if (rejected) allowObjects(target, given.staging, rejected, ANSWERS_PREFIX);
    if (judgesSignatures) allow(target, ['s3:GetObject'], given.intake.arnForObjects(REVOCATION_LISTS));
    if (signs) allowSigning(target, signingKey, given.intake);
    return [name, target];
  });
  return Object.fromEntries(made) as OrderFunctions;
}

const packageTexts = ({ orderSchema, labels }: Stage): TextFile[] => [
  ...settingText('orderSchema', orderSchema),
  ...settingText('labels', Object.keys(labels).length > 0 ? JSON.stringify(labels) : undefined),
];

const signatureTexts = ({ signing: { caBundle, timeStampAuthorities, crl, revocation } }: Stage): TextFile[] => [
  ...settingText('signatureAuthorities', caBundle),
  ...settingText('timeStampAuthorities', timeStampAuthorities),
  ...settingText('revocationLists', crl),
  ...settingText('revocation', JSON.stringify(revocation)),
];

/** A function that sends events of an order also publishes the pages of its record. */
function withPages(definition: Definition): Definition {
  const { tells, staging: { read = [], write = [], ...staging } = {} } = definition;
  if (!tells) return definition;
  return { ...definition, staging: { ...staging, read: [...read, ...PAGES], write: [...write, ...PAGES], list: true } };
}

export const orderSteps = (functions: OrderFunctions) => stepsOf(functions, definitions);

/**
 * How the stage's calls are divided among the functions that make them, in percent. Each of them makes one call at a time, so
 * its reserved concurrency bounds its calls. Most calls are reads; a call with a file takes longest.
 */
const PERCENT: Record<string, number> = {
  'read-order': 40,
  'upload-document': 16,
  'download-document': 16,
  'upload-signature': 12,
  'create-order': 6,
  'accept-order': 5,
  'confirm-offer': 5,
};

/** Warns at synth if the account's quota, by the stage's settings, has no room for `callsAtOnce`. */
export function warnOfQuota(scope: Construct, { callsAtOnce = 0, alarms }: Stage): void {
  const { concurrentExecutions: quota } = alarms;
  if (callsAtOnce === 0 || callsAtOnce + LEAST_UNRESERVED <= quota) return;
  Annotations.of(scope).addWarningV2(
    'loan-orders:calls-at-once',
    `callsAtOnce ${callsAtOnce} and the ${LEAST_UNRESERVED} executions that Lambda does not reserve exceed alarms.concurrentExecutions ${quota}: the deployment fails unless the account's quota is larger.`,
  );
}

/** The most runs at once of each function. Each gets one run and its percentage of the others. The remainder goes to the reads. */
function divided(callsAtOnce: number): Map<string, number> {
  const names = Object.entries(definitions).flatMap(([name, one]) => ('callsService' in one ? [name] : []));
  const others = callsAtOnce - names.length;
  const runs = new Map(names.map((name) => [name, 1 + Math.floor((others * percentOf(name)) / 100)]));
  const given = [...runs.values()].reduce((sum, count) => sum + count, 0);
  runs.set('read-order', (runs.get('read-order') ?? 0) + callsAtOnce - given);
  return runs;
}

function percentOf(name: string): number {
  const percent = PERCENT[name];
  if (percent !== undefined) return percent;
  throw new Error(`Function ${name} has no share of callsAtOnce: add one in infra/order/functions.ts.`);
}
