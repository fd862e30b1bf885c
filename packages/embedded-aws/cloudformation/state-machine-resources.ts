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
  const { DefinitionString: text } = resource.properties;
  if (typeof text !== 'string') throw unsupported(resource, 'has no DefinitionString.');
  const definition: unknown = JSON.parse(
    substitute(text, objectProperty(resource.properties, 'DefinitionSubstitutions')),
  );
  if (isJsonObject(definition)) return definition;
  throw unsupported(resource, 'has a definition that is not a JSON object.');
}

function substitute(text: string, substitutions: JsonObject): string {
  return Object.entries(substitutions).reduce((whole, [name, value]) => {
    return whole.replaceAll(`\${${name}}`, () => JSON.stringify(String(value)).slice(1, -1));
  }, text);
}
