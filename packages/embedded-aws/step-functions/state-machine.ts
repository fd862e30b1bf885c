import type { StateMachine as EngineMachine, StateMachineDefinition } from 'aws-local-stepfunctions';
import { type JsonObject, UnsupportedError } from '../protocol/operation.ts';
import { checkDefinition, prepareDefinition, statesOf } from './definition.ts';
import type { Engine } from './engine.ts';
import { createIntegration, type IntegrationServices } from './integrations.ts';
import { parseTaskResource, type Task } from './task.ts';

export interface StateMachineSettings {
  name: string;
  arn: string;
  roleArn: string;
  definition: JsonObject;
  /** The log group that gets every event of an execution, without its data. */
  logGroup: string | undefined;
}

/** A checked state machine that can be run any number of times. */
export interface StateMachine extends StateMachineSettings {
  machine: EngineMachine;
  tasks: readonly Task[];
  states: ReadonlyMap<string, JsonObject>;
}

/** The definitions that were found valid, as JSON. A validation takes 0.3 s, and a process may deploy the same stack many times. */
const valid = new Set<string>();

/** Throws an UnsupportedError if the definition is not supported or not valid Amazon States Language. */
export function createMachine(
  settings: StateMachineSettings,
  engine: Engine,
  services: IntegrationServices,
): StateMachine {
  checkDefinition(settings.name, settings.definition);
  // Validates the original and runs the prepared copy without validation, because a validation is slow.
  validate(settings, engine);
  const prepared = prepareDefinition(settings.definition);
  const options = { validationOptions: { noValidate: true } };
  const states = new Map(statesOf(prepared).map(({ name, state }) => [name, state]));
  return {
    ...settings,
    machine: new engine.StateMachine(prepared as unknown as StateMachineDefinition, options),
    states,
    tasks: [...states].flatMap(([name, state]) => {
      const resource = state.Type === 'Task' ? parseTaskResource(state.Resource) : undefined;
      return resource ? [{ name, state, ...resource, integration: createIntegration(services, resource) }] : [];
    }),
  };
}

function validate({ name, definition }: StateMachineSettings, engine: Engine): void {
  const text = JSON.stringify(definition);
  if (valid.has(text)) return;
  try {
    // A copy, because the validation adds to the definition.
    new engine.StateMachine(JSON.parse(text) as StateMachineDefinition);
    valid.add(text);
  } catch (error) {
    throw new UnsupportedError(`State machine ${name}: ${(error as Error).message}`);
  }
}
