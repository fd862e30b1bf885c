/**
 * The one place where a function reads its environment. A missing or malformed variable is thrown by name, so a
 * deployment mistake is read in the first error and not guessed from its consequences.
 */
export function environment(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') {
    throw new Error(`Environment variable ${name} is not set: the stack gives it to every function that needs it.`);
  }
  return value;
}

/** A variable that a stage may leave out. */
export function optionalEnvironment(name: string): string | undefined {
  return process.env[name] || undefined;
}

/** A variable that must be `true` or `false`. */
export function environmentFlag(name: string): boolean {
  const value = environment(name);
  if (value !== 'true' && value !== 'false') {
    throw new Error(`Environment variable ${name} must be true or false.`);
  }
  return value === 'true';
}

/** A variable that must hold a finite number zero or greater. */
export function environmentNumber(name: string): number {
  const value = Number(environment(name));
  if (!Number.isFinite(value) || value < 0) {
    throw new Error(`Environment variable ${name} must be a number, zero or greater.`);
  }
  return value;
}
