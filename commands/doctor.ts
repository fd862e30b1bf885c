import type { Stage } from '../infra/stages.ts';
import { MARKS } from './doctor/finding.ts';
import { type AddCommand, withPlace } from './shared/arguments.ts';
import type { PlaceOptions } from './shared/place.ts';
import { type CommandResult, columns, type Meaning } from './shared/text.ts';

export const addDoctor: AddCommand = (program, perform) =>
  program
    .command('doctor')
    .description('check everything that the stage needs, and say what to do about each problem')
    .option('--empty', 'also that no execution runs, before the stage is removed')
    .action(withPlace(perform, (place, { empty }: { empty?: true }) => doctor(place, undefined, empty)));

const MEANINGS: Record<string, Meaning> = { ok: 'good', '!!': 'bad', '--': 'attention' };
const NOT_IN_ORDER = 1;

/**
 * Checks everything that a stage needs, and says how to fix each problem. It changes nothing.
 * @param known the expected settings of the stage. Default: from its file, if there is one.
 */
export async function doctor(options: PlaceOptions, known?: Stage, empty = false): Promise<CommandResult> {
  const { findingsOn } = await import('./doctor/checks.ts');
  const stage = known ?? (await import('../infra/stages.ts')).knownStage(options.stage);
  const findings = await findingsOn(options, stage, empty);
  return {
    lines: columns(
      findings.map(({ check, state, message }) => [MARKS[state], check, message]),
      (mark, column) => (column === 0 ? (MEANINGS[mark] ?? 'none') : 'none'),
    ),
    json: findings,
    exitCode: findings.every(({ state }) => state === 'ok') ? 0 : NOT_IN_ORDER,
  };
}
