/** What every line of a timeline has, and the version of a file that a line is about. */
const OTHERS = new Set(['orderRef', 'item', 'at', 'what', 'file', 'read']);

/** The facts of a line that people read: references and counts by name. */
export function factsOf(line: Readonly<Record<string, string | number>>): [name: string, value: string | number][] {
  return Object.entries(line).filter(([name]) => !OTHERS.has(name));
}
