import type { Template } from 'aws-cdk-lib/assertions';

interface Resource {
  Type: string;
  Properties?: Record<string, never>;
}

export interface Statement {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
  Condition?: unknown;
}

const plainId = (id: string) => id.replace(/(CurrentVersion)[0-9a-f]{16}$|[0-9A-F]{8}$/, '$1');

/** A value of a template as a person writes it: `<Bucket.Arn>/orders/*`. */
function plain(value: unknown): string {
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': joined } = (value ?? {}) as Record<string, never>;
  if (Ref) return `<${plainId(Ref)}>`;
  if (attribute) return `<${plainId(attribute[0])}.${attribute[1]}>`;
  if (joined) return ([joined[1]].flat() as unknown[]).map(plain).join('');
  return String(value);
}

const statementText = ({ Effect, Action, Resource, Condition }: Statement) =>
  `${Effect} ${[Action].flat().join(', ')} on ${[Resource].flat().map(plain).join(' and ')}` +
  `${Condition === undefined ? '' : ` if ${JSON.stringify(Condition)}`}`;

/** What a reviewer reads of a stack: the names of its resources by type, who may do what, and what its state machine runs. */
export function deployed(template: Template): object {
  const resources = Object.entries(template.toJSON().Resources as Record<string, Resource>);
  const ofTypes = (...types: string[]) => resources.filter(([, { Type }]) => types.includes(Type));
  const byType = Object.groupBy(resources, ([, { Type }]) => Type);
  const policies = ofTypes('AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy').map(([id, { Properties = {} }]) => {
    const { PolicyDocument, Roles = [] } = Properties as { PolicyDocument?: never; Roles?: unknown[] };
    const { Statement } = PolicyDocument as unknown as { Statement: Statement[] };
    return [Roles.map(plain).join(', ') || plainId(id), Statement.map(statementText)];
  });
  return {
    resources: Object.fromEntries(
      Object.entries(byType).map(([type, all = []]) => [type, all.map(([id]) => plainId(id))]),
    ),
    policies: Object.fromEntries(policies),
    definitions: ofTypes('AWS::StepFunctions::StateMachine').map(([, { Properties }]) =>
      JSON.parse(Properties?.DefinitionString ?? ''),
    ),
  };
}
