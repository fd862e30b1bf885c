import { createHash } from 'node:crypto';
import { Stack } from 'aws-cdk-lib';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { stackSettings, variableOf } from '../../core/settings.ts';
import type { StateMachineDefinition } from '../../statemachine/order-definition.ts';
import { type OrderFunctions, orderSteps } from './functions.ts';

/**
 * Identifies the release: the state machine's definition, and the code and settings of the functions that it invokes. The same sources and
 * settings give the same release, also after a rollback. Call this when the functions have their whole environment. Adds `RELEASE` to the
 * environment of each step, so a new release always changes it: Lambda publishes no version of a function that has not changed.
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
  for (const informed of [...orderSteps(functions).map(([, step]) => step), functions['sweep-orders']])
    informed.addEnvironment(variableOf(stackSettings, 'release'), release);
  return release;
}

/** What a version of the function keeps. The key of the code in S3 contains its hash; the bucket says only where it is. */
function configurationOf(target: CfnFunction): unknown {
  const { handler, runtime, architectures, memorySize, timeout, environment, description } = target;
  const { vpcConfig, tracingConfig } = target;
  const basics = { handler, runtime, architectures, memorySize, timeout, environment, description };
  const { s3Key } = target.code as CfnFunction.CodeProperty;
  return Stack.of(target).resolve({ s3Key, ...basics, vpcConfig, tracingConfig });
}
