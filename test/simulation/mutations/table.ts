import { columns } from '../../../commands/text.ts';
import type { Finding } from './try-mutations.ts';

/** The first finding is of what is not broken: it must be clean, and all others must not. */
export function isAllRight([sound, ...broken]: readonly Finding[]): boolean {
  return sound?.violations.length === 0 && broken.every(({ violations }) => violations.length > 0);
}

/** A line for each mutation: what it is, how many violations it caused, whether it was found out, and by what. */
export function mutationTable([sound, ...broken]: readonly Finding[]): string[] {
  const rows = broken.map(({ name, violations }) => [
    name,
    String(violations.length),
    violations.length > 0 ? 'red' : 'NOT FOUND',
    violations[0] ?? '',
  ]);
  const clean = sound && sound.violations.length > 0 ? `RED WITHOUT ANY: ${sound.violations[0]}` : 'green';
  return ['', ...columns([['Mutation', 'Violations', '', 'First'], [sound?.name ?? '', '0', clean, ''], ...rows])];
}
