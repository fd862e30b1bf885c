import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { arn } from '../account.ts';
import { LambdaFunction } from '../lambda/function.ts';
import { type FunctionFacts, LATEST } from '../lambda/protocol.ts';
import { type Json, objectOf } from '../protocol/operation.ts';
import { numberProperty, objectProperty, type Resource, unsupported } from './properties.ts';
import type { ProvisionedResource } from './stack.ts';
import { queueSender } from './target-delivery.ts';

export function createFunction(resource: Resource): ProvisionedResource {
  const { account, services, properties, name, startup } = resource;
  if (!String(properties.Runtime).startsWith('nodejs')) {
    throw unsupported(resource, `has the runtime ${String(properties.Runtime)}; only Node.js is supported.`);
  }
  const facts: FunctionFacts = {
    functionName: name,
    functionArn: arn(account, 'lambda', `function:${name}`),
    version: LATEST,
    ...findHandler(resource),
    memorySize: numberProperty(properties, 'MemorySize', 128),
    timeout: numberProperty(properties, 'Timeout', 3),
  };
  const { activity, options } = services;
  services.lambda.add(
    new LambdaFunction({
      activity,
      clock: services.clock,
      pool: services.lambda.pool(options.lambdaMemory ?? facts.memorySize),
      concurrency: options.lambdaConcurrency ?? 4,
      reservedConcurrency: numberProperty(properties, 'ReservedConcurrentExecutions', Number.POSITIVE_INFINITY),
      sandbox: { facts, environment: functionEnvironment(resource), log: services.log },
      ...(options.invokeWrapper ? { invokeWrapper: options.invokeWrapper } : {}),
    }),
  );
  const { Role: role } = properties;
  // Runs after all stacks are loaded, because only then does the role have all its policies.
  if (typeof role === 'string') startup.push(async () => services.iam.assumeRole(name, role));
  return { ref: name, attributes: { Arn: facts.functionArn } };
}

/** Finds the module of `Handler` (`<path>.<export>`) in the function's asset. */
function findHandler(resource: Resource): Pick<FunctionFacts, 'moduleUrl' | 'handlerName'> {
  const { properties } = resource;
  const directory = codeFolder(resource);
  const handler = String(properties.Handler);
  const dot = handler.lastIndexOf('.');
  const base = join(directory, dirname(handler), basename(handler.slice(0, dot)));
  const path = ['.mjs', '.js', '.cjs'].map((extension) => base + extension).find((candidate) => existsSync(candidate));
  if (!path) throw unsupported(resource, `has the handler ${handler}, which its asset does not contain.`);
  return { moduleUrl: pathToFileURL(path).href, handlerName: handler.slice(dot + 1) };
}

/** The folder with the function's code. Inline code is written to index.js, as CloudFormation does. */
function codeFolder(resource: Resource): string {
  const { stack, properties, services, name } = resource;
  const code = objectProperty(properties, 'Code');
  if (typeof code.ZipFile === 'string') {
    const directory = join(services.directory, `code-${name}`);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'index.js'), code.ZipFile);
    return directory;
  }
  if (typeof code.S3Key !== 'string') throw unsupported(resource, 'has its code in an image, not in an asset.');
  const directory = stack.assetPath(basename(code.S3Key).replace(/\..*$/, ''));
  if (statSync(directory).isDirectory()) return directory;
  throw unsupported(resource, 'has an asset that is a file; only folders are supported.');
}

function functionEnvironment({ services, properties, name: functionName }: Resource): Record<string, string> {
  const variables = objectProperty(objectProperty(properties, 'Environment'), 'Variables');
  return {
    // As in Lambda, the host's variables are not visible to functions.
    TZ: ':UTC',
    LANG: 'en_US.UTF-8',
    ...services.sdkEnvironment(functionName),
    AWS_DEFAULT_REGION: services.account.region,
    AWS_EXECUTION_ENV: `AWS_Lambda_${String(properties.Runtime)}`,
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    _HANDLER: String(properties.Handler),
    ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)])),
    ...services.options.functionEnvironment,
  };
}

export function createVersion({ services, properties }: Resource): ProvisionedResource {
  const { functionArn, version: Version } = services.lambda.publish(String(properties.FunctionName)).facts;
  const FunctionArn = `${functionArn}:${Version}`;
  return { ref: FunctionArn, attributes: { Version, FunctionArn } };
}

export function createEventInvokeConfig(resource: Resource): ProvisionedResource {
  const { services, properties } = resource;
  const { OnFailure: onFailure, ...others } = objectProperty(properties, 'DestinationConfig');
  if (Object.keys(others).length > 0) throw unsupported(resource, 'has a destination other than OnFailure.');
  const { Destination: target } = objectOf(onFailure);
  const name = nameOf(properties.FunctionName);
  services.lambda.configureAsync(name, {
    maximumRetryAttempts: numberProperty(properties, 'MaximumRetryAttempts', 2),
    maximumEventAgeSeconds: numberProperty(properties, 'MaximumEventAgeInSeconds', 21_600),
    onFailure: target === undefined ? undefined : queueSender(resource, target),
  });
  return { ref: `${name}-async`, attributes: {} };
}

/** Services may invoke functions without a permission. */
export function createPermission(resource: Resource): ProvisionedResource {
  if (resource.properties.Principal === '*') throw unsupported(resource, 'lets everybody invoke the function.');
  return { ref: resource.name, attributes: { Id: resource.name } };
}

export function createHttpApi(resource: Resource): ProvisionedResource {
  const { name, properties, services } = resource;
  const { ProtocolType: protocol, Target: target } = properties;
  if (protocol !== 'HTTP') throw unsupported(resource, `has the protocol ${String(protocol)}; only HTTP is supported.`);
  return { ref: name, attributes: { ApiId: name, ApiEndpoint: services.httpApis.assign(nameOf(target)) } };
}

/** The function's name, from a name or an ARN. */
function nameOf(reference: Json | undefined): string {
  return String(reference).split(':')[6] ?? String(reference);
}
