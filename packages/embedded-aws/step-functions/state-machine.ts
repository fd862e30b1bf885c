import type { StateMachine as EngineMachine, StateMachineDefinition } from 'aws-local-stepfunctions';
import { UnsupportedError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/json.ts';
import { checkDefinition, prepareDefinition, statesOf } from './definition.ts';
import type { Engine } from './engine.ts';
import { createIntegration, type IntegrationServices } from './integrations.ts';
import { parseTaskResource } from './task-resource.ts';
import type { Task } from './task-runner.ts';

export interface StateMachineSettings {
  name: string;
  arn: string;
  roleArn: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  definition: JsonObject;
  /** The log group that gets every event of an execution, without its data. */
  logGroup: string | undefined;
}

/** The definitions that were found valid, as JSON. A validation takes 0.3 s, and a process may deploy the same stack many times. */
const valid = new Set<string>();

/** A checked state machine that can be run any number of times. */
export class StateMachine {
  readonly name: string;
  readonly arn: string;
  readonly roleArn: string;
  readonly createdAt: number;
  readonly definition: JsonObject;
  readonly logGroup: string | undefined;
  readonly machine: EngineMachine;
  readonly tasks: readonly Task[];
  readonly states: Map<string, JsonObject>;

  /** Throws an UnsupportedError if the definition is not supported or not valid Amazon States Language. */
  constructor(settings: StateMachineSettings, engine: Engine, services: IntegrationServices) {
    this.name = settings.name;
    this.arn = settings.arn;
    this.roleArn = settings.roleArn;
    this.createdAt = settings.createdAt;
    this.definition = settings.definition;
    this.logGroup = settings.logGroup;
    checkDefinition(this.name, this.definition);
    // Validates the original and runs the prepared copy without validation, because a validation is slow.
    this.#validate(engine);
    const prepared = prepareDefinition(this.definition);
    const options = { validationOptions: { noValidate: true } };
    this.machine = new engine.StateMachine(asEngineDefinition(prepared), options);
    this.states = new Map(statesOf(prepared).map(({ name, state }) => [name, state]));
    this.tasks = [...this.states]
      .filter(([, state]) => state.Type === 'Task')
      .map((entry) => createTask(services, entry));
  }

  #validate(engine: Engine): void {
    const text = JSON.stringify(this.definition);
    if (valid.has(text)) return;
    try {
      // A copy, because the validation adds to the definition.
      new engine.StateMachine(asEngineDefinition(JSON.parse(text)));
      valid.add(text);
    } catch (error) {
      throw new UnsupportedError(`State machine ${this.name}: ${(error as Error).message}`);
    }
  }
}

function asEngineDefinition(definition: JsonObject): StateMachineDefinition {
  return definition as unknown as StateMachineDefinition;
}

function createTask(services: IntegrationServices, [name, state]: [string, JsonObject]): Task {
  const resource = String(state.Resource);
  const parsed = parseTaskResource(resource);
  if (!parsed) throw new UnsupportedError(`State "${name}" has the resource ${resource}, which is not supported.`);
  return {
    name,
    state,
    resource,
    waitsForToken: parsed.waitsForToken,
    integration: createIntegration(services, parsed),
  };
}
