import { columns } from '../../../commands/text.ts';
import type { Finding } from './try-mutations.ts';

/** The first finding is for the unbroken code and must have no violations. All others must have some. */
export function isAllRight([sound, ...broken]: readonly Finding[]): boolean {
  return sound?.violations.length === 0 && broken.every(({ violations }) => violations.length > 0);
}

/** A line for each mutation: its name, its number of violations, whether it was noticed, and its first violation. */
export function mutationTable([sound, ...broken]: readonly Finding[]): string[] {
  const rows = broken.map(({ name, violations }) => [
    name,
    String(violations.length),
    violations.length > 0 ? 'red' : 'NOT NOTICED',
    violations[0] ?? '',
  ]);
  const clean = sound && sound.violations.length > 0 ? `RED WITHOUT A MUTATION: ${sound.violations[0]}` : 'green';
  return ['', ...columns([['Mutation', 'Violations', '', 'First'], [sound?.name ?? '', '0', clean, ''], ...rows])];
}
