import type { StateMachine as EngineMachine, StateMachineDefinition } from 'aws-local-stepfunctions';
import { isJsonObject, type JsonObject, objectOf, UnsupportedError } from '../protocol/operation.ts';
import type { Engine } from './engine.ts';
import { createIntegration, type IntegrationServices } from './integrations.ts';
import { parseTaskResource, type Task } from './task.ts';
import { prepareTimeout } from './task-timeout.ts';

export interface StateMachineSettings {
  name: string;
  arn: string;
  roleArn: string;
  definition: JsonObject;
}

export interface StateMachine extends StateMachineSettings {
  machine: EngineMachine;
  tasks: readonly Task[];
  states: ReadonlyMap<string, JsonObject>;
}

/** Valid definitions, as JSON. Validation takes 0.3 s, and tests deploy the same stack many times. */
const valid = new Set<string>();

/** Throws an UnsupportedError if the definition is not supported or not valid Amazon States Language. */
export function createMachine(
  settings: StateMachineSettings,
  engine: Engine,
  services: IntegrationServices,
): StateMachine {
  checkDefinition(settings.name, settings.definition);
  // Validates the original, and does not validate the prepared copy, because validation is slow.
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
    // Validates a copy, because validation changes the definition.
    new engine.StateMachine(JSON.parse(text) as StateMachineDefinition);
    valid.add(text);
  } catch (error) {
    throw new UnsupportedError(`State machine ${name}: ${(error as Error).message}`);
  }
}

interface NamedState {
  name: string;
  state: JsonObject;
  isInMap: boolean;
}

/** All states of a definition, including those in Maps. */
function statesOf(definition: JsonObject, isInMap = false): NamedState[] {
  return Object.entries(objectOf(definition.States)).flatMap(([name, state]) => {
    if (!isJsonObject(state)) return [];
    const nested = isJsonObject(state.ItemProcessor) ? statesOf(state.ItemProcessor, true) : [];
    return [{ name, state, isInMap }, ...nested];
  });
}

const UNSUPPORTED_FIELDS = [
  'QueryLanguage Assign Arguments Output Items ItemReader ItemBatcher ResultWriter ToleratedFailureCount',
  'ToleratedFailurePercentage HeartbeatSeconds HeartbeatSecondsPath Credentials Branches Iterator',
].flatMap((line) => line.split(' '));

/** Throws an UnsupportedError that lists everything that would behave differently from AWS. */
export function checkDefinition(machine: string, definition: JsonObject): void {
  const states = statesOf(definition);
  const problems = states.flatMap(problemsOf);
  if (definition.QueryLanguage === 'JSONata') problems.push('JSONata is not supported.');
  const names = states.map(({ name }) => name);
  for (const name of new Set(names.filter((one, index) => names.indexOf(one) !== index))) {
    problems.push(`Two states have the name "${name}": names must be unique, also inside Maps.`);
  }
  if (problems.length > 0) {
    throw new UnsupportedError(`The embedded AWS cannot run the state machine ${machine}:\n- ${problems.join('\n- ')}`);
  }
}

function problemsOf({ name, state, isInMap }: NamedState): string[] {
  const problems = UNSUPPORTED_FIELDS.filter((field) => field in state && state[field] !== 'JSONPath').map(
    (field) => `State "${name}" uses ${field}, which is not supported.`,
  );
  const { ItemProcessor, ...own } = state;
  const text = JSON.stringify(own);
  // The library never matches a type test for false, and ResultPath "$" adds a property named "$".
  if (/"Is[A-Z][a-z]+":false/.test(text)) problems.push(`State "${name}" has a type test for false: use Not.`);
  if (text.includes('"ResultPath":"$"')) problems.push(`State "${name}" has the ResultPath $: remove it.`);
  if (/\$\$\.State(?!Machine)/.test(text)) problems.push(`State "${name}" uses $$.State, which is not supported.`);
  if (isInMap && state.Type !== 'Map' && /\$\$\.Map/.test(text))
    problems.push(`State "${name}" is inside a Map and uses $$.Map: add the value to the item with ItemSelector.`);
  const { Mode: mode } = objectOf(objectOf(ItemProcessor).ProcessorConfig);
  if (mode === 'DISTRIBUTED') problems.push(`State "${name}" is a distributed Map, which is not supported.`);
  return state.Type === 'Task' ? [...problems, ...taskProblems(name, state, text)] : problems;
}

function taskProblems(name: string, state: JsonObject, text: string): string[] {
  const resource = parseTaskResource(state.Resource);
  if (!resource) return [`State "${name}" has the resource ${String(state.Resource)}, which is not supported.`];
  if (resource.waitsForToken && !text.includes('$$.Task.Token')) {
    return [`State "${name}" waits for a task token but does not pass on $$.Task.Token.`];
  }
  return [];
}

/** Returns a copy whose Tasks have timeouts that the library supports. */
export function prepareDefinition(definition: JsonObject): JsonObject {
  const copy = structuredClone(definition);
  for (const { state } of statesOf(copy)) if (state.Type === 'Task') prepareTimeout(state);
  return copy;
}
