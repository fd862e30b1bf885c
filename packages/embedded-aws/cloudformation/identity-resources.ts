import { arn } from '../account.ts';
import { compilePolicy } from '../iam/policy.ts';
import type { PolicyReader } from '../iam/service.ts';
import type { JsonObject } from '../protocol/operation.ts';
import { listProperty, objectProperty, type Resource, textsProperty, unsupported } from './properties.ts';
import type { ProvisionedResource } from './stack.ts';

/** This managed policy is ignored: it allows only CloudWatch Logs, which the embedded AWS does not have. */
const LOGS_ONLY = ':aws:policy/service-role/AWSLambdaBasicExecutionRole';

export function createRole(resource: Resource): ProvisionedResource {
  const { services, properties, name } = resource;
  const inline = listProperty(properties, 'Policies').map((policy) => reader(resource, policy));
  services.iam.attach(name, ...inline, ...managedPolicies(resource));
  const { PermissionsBoundary: boundary } = properties;
  if (typeof boundary === 'string') services.iam.setBoundary(name, managedPolicy(resource, boundary));
  const trusted = listProperty(objectProperty(properties, 'AssumeRolePolicyDocument'), 'Statement');
  const isOfAccount = ({ Principal: principal }: JsonObject) => /:root"/.test(JSON.stringify(principal ?? ''));
  if (trusted.some(isOfAccount)) services.iam.trustAccount(name);
  return { ref: name, attributes: { Arn: services.iam.roleArn(name), RoleId: name } };
}

function managedPolicies(resource: Resource): PolicyReader[] {
  return textsProperty(resource.properties, 'ManagedPolicyArns')
    .filter((managed) => !managed.endsWith(LOGS_ONLY))
    .map((managed) => managedPolicy(resource, managed));
}

/** Looked up only when the policy is read, because it may be created after the role. */
function managedPolicy(resource: Resource, policyArn: string): PolicyReader {
  return () => {
    const read = resource.services.iam.managed(policyArn);
    if (read) return read();
    throw unsupported(resource, `has the managed policy ${policyArn}, which is not in these stacks.`);
  };
}

export function createPolicy(resource: Resource): ProvisionedResource {
  const { services, properties, name } = resource;
  for (const role of textsProperty(properties, 'Roles')) services.iam.attach(role, reader(resource, properties));
  return { ref: name, attributes: { Id: name } };
}

export function createManagedPolicy(resource: Resource): ProvisionedResource {
  const { account, services, properties, name } = resource;
  const policyArn = `arn:aws:iam::${account.accountId}:policy/${name}`;
  const policy = reader(resource, properties);
  services.iam.addManaged(policyArn, policy);
  for (const role of textsProperty(properties, 'Roles')) services.iam.attach(role, policy);
  return { ref: policyArn, attributes: { PolicyArn: policyArn } };
}

function reader(resource: Resource, policy: JsonObject): PolicyReader {
  return () => compilePolicy(objectProperty(policy, 'PolicyDocument'), (problem) => unsupported(resource, problem));
}

/** Creates a signing key. An encryption key has only a name, an ARN and a policy, because nothing is encrypted. */
export function createKey({ account, services, properties, name }: Resource): ProvisionedResource {
  if (properties.KeyUsage === 'SIGN_VERIFY') services.kms.create(String(properties.KeySpec), name);
  const keyArn = arn(account, 'kms', `key/${name}`);
  services.encryptionKeys.setPolicy(keyArn, objectProperty(properties, 'KeyPolicy'));
  return { ref: name, attributes: { Arn: keyArn, KeyId: name } };
}
