import { compilePolicy } from '../iam/policy.ts';
import type { PolicyReader } from '../iam/service.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import { checkedProperties, listProperty, objectProperty, physicalName, unsupported } from './properties.ts';
import type { Provisioning } from './provisioning.ts';
import type { ProvisionedResource, ResourceDeclaration } from './stack.ts';

/** Allows only CloudWatch Logs, which the embedded AWS does not have. */
const LOGS_ONLY = ':aws:policy/service-role/AWSLambdaBasicExecutionRole';

export function provisionRole(declaration: ResourceDeclaration, provisioning: Provisioning): ProvisionedResource {
  const properties = checkedProperties(
    declaration,
    ['RoleName', 'Policies', 'ManagedPolicyArns'],
    ['AssumeRolePolicyDocument', 'Description', 'MaxSessionDuration', 'Path', 'Tags'],
  );
  const name = physicalName(declaration, properties.RoleName);
  const { account, services } = provisioning;
  const inline = listProperty(properties, 'Policies').map((policy) => reader(declaration, policy));
  services.iam.attach(name, ...inline, ...managedPolicies(declaration, properties.ManagedPolicyArns, services));
  return { ref: name, attributes: { Arn: `arn:aws:iam::${account.accountId}:role/${name}`, RoleId: name } };
}

function managedPolicies(
  declaration: ResourceDeclaration,
  arns: Json | undefined,
  { iam }: Provisioning['services'],
): PolicyReader[] {
  const list = Array.isArray(arns) ? arns.map(String) : [];
  return list
    .filter((managed) => !managed.endsWith(LOGS_ONLY))
    .map((managed) => () => {
      const read = iam.managed(managed);
      if (read) return read();
      throw unsupported(declaration, `has the managed policy ${managed}, which the embedded AWS does not know.`);
    });
}

export function provisionPolicy(declaration: ResourceDeclaration, { services }: Provisioning): ProvisionedResource {
  const properties = checkedProperties(declaration, ['PolicyName', 'PolicyDocument', 'Roles'], ['Users', 'Groups']);
  const { Roles: roles } = properties;
  for (const role of Array.isArray(roles) ? roles : [])
    services.iam.attach(String(role), reader(declaration, properties));
  const name = physicalName(declaration, properties.PolicyName);
  return { ref: name, attributes: { Id: name } };
}

export function provisionManagedPolicy(
  declaration: ResourceDeclaration,
  { account, services }: Provisioning,
): ProvisionedResource {
  const properties = checkedProperties(
    declaration,
    ['ManagedPolicyName', 'PolicyDocument', 'Roles'],
    ['Description', 'Path'],
  );
  const policyArn = `arn:aws:iam::${account.accountId}:policy/${physicalName(declaration, properties.ManagedPolicyName, 128)}`;
  const policy = reader(declaration, properties);
  services.iam.addManaged(policyArn, policy);
  const { Roles: roles } = properties;
  for (const role of Array.isArray(roles) ? roles : []) services.iam.attach(String(role), policy);
  return { ref: policyArn, attributes: { PolicyArn: policyArn } };
}

function reader(declaration: ResourceDeclaration, policy: JsonObject): PolicyReader {
  return () => compilePolicy(objectProperty(policy, 'PolicyDocument'), (problem) => unsupported(declaration, problem));
}
