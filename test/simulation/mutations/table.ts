import { columns } from '../../../commands/text.ts';
import type { Finding } from './try-mutations.ts';

/** The first finding is for the unbroken code and must have no violations. All others must have some, and for the right cause. */
export function isAllRight([sound, ...broken]: readonly Finding[]): boolean {
  return sound?.violations.length === 0 && broken.every((finding) => verdictOn(finding) === 'red');
}

function verdictOn({ violations, withRightClocks = [] }: Finding): string {
  if (withRightClocks.length > 0) return 'RED WITH RIGHT CLOCKS';
  return violations.length > 0 ? 'red' : 'NOT NOTICED';
}

/** A line for each mutation: its name, its number of violations, whether it was noticed, and its first violation. */
export function mutationTable([sound, ...broken]: readonly Finding[]): string[] {
  const rows = broken.map((finding) => {
    const { name, violations, withRightClocks = [] } = finding;
    return [name, String(violations.length), verdictOn(finding), withRightClocks[0] ?? violations[0] ?? ''];
  });
  const clean = sound && sound.violations.length > 0 ? `RED WITHOUT A MUTATION: ${sound.violations[0]}` : 'green';
  return ['', ...columns([['Mutation', 'Violations', '', 'First'], [sound?.name ?? '', '0', clean, ''], ...rows])];
}
