import { createHash } from 'node:crypto';
import { Stack } from 'aws-cdk-lib';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { stackSettings, variableOf } from '../../core/settings.ts';
import type { StateMachineDefinition } from '../../statemachine/order-definition.ts';
import { definitions, type FunctionName } from './function-definitions.ts';
import { type OrderFunctions, orderSteps } from './functions.ts';

/** Only these functions know the release: they get a new version with every release. Calls send it to the order service. */
const INFORMED = (Object.keys(definitions) as FunctionName[]).filter(
  (name) => name === 'sweep-orders' || 'callsService' in definitions[name],
);

/**
 * Identifies the release: the state machine's definition, and the code and settings of the functions that it invokes. The same sources and
 * settings give the same release, also after a rollback. Call this when the functions have their whole environment. Adds `RELEASE` to the
 * environment of functions that need it.
 */
export function addRelease(functions: OrderFunctions, definition: StateMachineDefinition): string {
  const parts = orderSteps(functions).map(([name, { node }]) => [
    name,
    configurationOf(node.defaultChild as CfnFunction),
  ]);
  const release = createHash('sha256')
    .update(JSON.stringify([definition, parts]))
    .digest('hex')
    .slice(0, 16);
  for (const name of INFORMED) functions[name].addEnvironment(variableOf(stackSettings, 'release'), release);
  return release;
}

/** The properties that decide what runs. The hash of the code is part of its key in S3. */
function configurationOf(target: CfnFunction): unknown {
  const { code, handler, runtime, architectures, memorySize, timeout, environment } = target;
  return Stack.of(target).resolve({ code, handler, runtime, architectures, memorySize, timeout, environment });
}
