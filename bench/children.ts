import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export async function runChild<Result>(script: string, ...options: string[]): Promise<Result> {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...options]);
  return JSON.parse(stdout) as Result;
}

/** Runs several measurements alternately, each `runs` times, so other load on the machine affects all of them. */
export async function interleaved<Name extends string, Result>(
  names: readonly Name[],
  runs: number,
  run: (name: Name) => Promise<Result>,
): Promise<Record<Name, Result[]>> {
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (let index = 0; index < runs; index += 1) {
    for (const name of names) results[name].push(await run(name));
  }
  return results;
}
