import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isJsonObject, type JsonObject, objectOf, UnsupportedError } from '../protocol/operation.ts';

export interface AssemblyStack {
  name: string;
  template: JsonObject;
  /** From `aws://<account>/<region>`; undefined if the app does not set it. */
  accountId: string | undefined;
  region: string | undefined;
  /** Returns the path of the asset with this hash: a file or folder. */
  assetPath: (hash: string) => string;
}

/**
 * Reads the stacks of a synthesized cloud assembly, dependencies first.
 * Throws an UnsupportedError if the folder is not an assembly, or has nested assemblies.
 */
export function readAssembly(directory: string): AssemblyStack[] {
  const manifestPath = join(directory, 'manifest.json');
  if (!existsSync(manifestPath)) {
    throw new UnsupportedError(`${directory} has no cloud assembly (no manifest.json): run "cdk synth" first.`);
  }
  const { artifacts } = readJson(manifestPath);
  const all = objectOf(artifacts);
  const ofType = (type: string) => Object.keys(all).filter((id) => objectOf(all[id]).type === type);
  const [nested] = ofType('cdk:cloud-assembly');
  if (nested) throw new UnsupportedError(`${nested} is a nested cloud assembly (a CDK Stage), which is not supported.`);
  const stacks = ofType('aws:cloudformation:stack');
  if (stacks.length === 0) throw new UnsupportedError(`The cloud assembly in ${directory} has no stack.`);
  return inOrder(stacks, all).map((id) => readStack(directory, id, all[id] as JsonObject));
}

function inOrder(stacks: readonly string[], artifacts: JsonObject): string[] {
  const ordered = new Set<string>();
  const visit = (id: string) => {
    const artifact = artifacts[id];
    if (ordered.has(id) || !isJsonObject(artifact)) return;
    const dependencies = Array.isArray(artifact.dependencies) ? artifact.dependencies : [];
    for (const dependency of dependencies) if (stacks.includes(String(dependency))) visit(String(dependency));
    ordered.add(id);
  };
  for (const id of stacks) visit(id);
  return [...ordered];
}

function readStack(directory: string, id: string, artifact: JsonObject): AssemblyStack {
  const properties = objectOf(artifact.properties);
  const environment = /^aws:\/\/([^/]*)\/(.*)$/.exec(String(artifact.environment));
  const files = readAssetFiles(directory, id);
  return {
    name: typeof properties.stackName === 'string' ? properties.stackName : id,
    template: readJson(join(directory, String(properties.templateFile))),
    accountId: known(environment?.[1]),
    region: known(environment?.[2]),
    assetPath: (hash) => {
      const { source } = objectOf(files[hash]);
      if (!isJsonObject(source)) throw new UnsupportedError(`Stack ${id} has no asset ${hash} in its assets.json.`);
      return join(directory, String(source.path));
    },
  };
}

function known(value: string | undefined): string | undefined {
  return value === undefined || value.startsWith('unknown-') ? undefined : value;
}

function readAssetFiles(directory: string, id: string): JsonObject {
  const path = join(directory, `${id}.assets.json`);
  const { files } = existsSync(path) ? readJson(path) : {};
  return objectOf(files);
}

function readJson(path: string): JsonObject {
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (isJsonObject(value)) return value;
  throw new UnsupportedError(`${basename(path)} is not a JSON object.`);
}
