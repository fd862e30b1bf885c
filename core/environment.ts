import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Reads an environment variable. Functions read their environment through this file only. The error names the variable,
 * so a deployment mistake shows at once.
 * @throws Error if the variable is missing.
 */
export function environment(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') {
    throw new Error(`Environment variable ${name} is not set. The stack sets it for every function that needs it.`);
  }
  return value;
}

/** Reads a variable that a stage may leave out. */
export function optionalEnvironment(name: string): string | undefined {
  return process.env[name] || undefined;
}

/** Reads a variable that must be `true` or `false`. */
export function environmentFlag(name: string): boolean {
  const value = environment(name);
  if (value !== 'true' && value !== 'false') {
    throw new Error(`Environment variable ${name} must be true or false.`);
  }
  return value === 'true';
}

/** Reads a variable that must be a number, zero or greater. */
export function environmentNumber(name: string): number {
  const value = Number(environment(name));
  if (!Number.isFinite(value) || value < 0) {
    throw new Error(`Environment variable ${name} must be a number, zero or greater.`);
  }
  return value;
}

/** Reads the text file beside the bundle that a variable names: a text that is too large for the environment. A stage may leave it out. */
export function environmentFile(name: string): string | undefined {
  const file = optionalEnvironment(name);
  return file === undefined ? undefined : readFileSync(resolve(import.meta.dirname, file), 'utf8');
}
