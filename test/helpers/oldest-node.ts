import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The oldest Node of this machine from version 20.19 on: a Node on PATH, or the one that runs the tests. */
export function oldestNode(): string {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const found = [...folders.map((folder) => join(folder, 'node')), process.execPath].filter(isExecutable);
  const known = found
    .map((path) => ({ path, version: versionOf(path) }))
    .filter(({ version: [major = 0, minor = 0] }) => major > 20 || (major === 20 && minor >= 19))
    .sort((one, other) => compare(one.version, other.version));
  return known[0]?.path ?? process.execPath;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function versionOf(path: string): number[] {
  const text = execFileSync(path, ['--version'], { encoding: 'utf8' });
  return (text.match(/\d+/g) ?? []).map(Number);
}

function compare([major = 0, minor = 0]: number[], [otherMajor = 0, otherMinor = 0]: number[]): number {
  return major - otherMajor || minor - otherMinor;
}
