import { arn } from '../account.ts';
import { isJsonObject, type JsonObject } from '../protocol/operation.ts';
import { createMachine } from '../step-functions/state-machine.ts';
import { objectProperty, type Resource, unsupported } from './properties.ts';
import type { ProvisionedResource } from './stack.ts';

export function createStateMachine(resource: Resource): ProvisionedResource {
  const { account, services, properties, name } = resource;
  if (properties.StateMachineType === 'EXPRESS')
    throw unsupported(resource, 'is an Express workflow; only Standard is supported.');
  const machine = createMachine(
    {
      name,
      arn: arn(account, 'states', `stateMachine:${name}`),
      roleArn: String(properties.RoleArn),
      definition: readDefinition(resource),
    },
    services.engine,
    services.integrations,
  );
  services.stepFunctions.add(machine);
  const revision = `${machine.arn}:INITIAL`;
  return { ref: machine.arn, attributes: { Arn: machine.arn, Name: name, StateMachineRevisionId: revision } };
}

function readDefinition(resource: Resource): JsonObject {
  const { properties } = resource;
  const text = substitute(definitionText(resource), objectProperty(properties, 'DefinitionSubstitutions'));
  const definition: unknown = JSON.parse(text);
  if (isJsonObject(definition)) return definition;
  throw unsupported(resource, 'has a definition that is not a JSON object.');
}

function definitionText(resource: Resource): string {
  const { properties } = resource;
  if (typeof properties.DefinitionString === 'string') return properties.DefinitionString;
  if (isJsonObject(properties.Definition)) return JSON.stringify(properties.Definition);
  throw unsupported(resource, 'has no definition.');
}

function substitute(text: string, substitutions: JsonObject): string {
  return Object.entries(substitutions).reduce((whole, [name, value]) => {
    return whole.replaceAll(`\${${name}}`, () => JSON.stringify(String(value)).slice(1, -1));
  }, text);
}
