import { fileOfStage, shown, stagesFolder } from '../../infra/stage-folder.ts';
import { type AddCommand, stageName, withPlace } from '../shared/arguments.ts';
import type { PlaceOptions } from '../shared/place.ts';
import { type CommandResult, columns, truncate } from '../shared/text.ts';

const STAGE_HELP = `
The files are in stages/ of this folder, or in the folder that LOAN_ORDERS_STAGES names (docs/settings.md).`;

export const addStage: AddCommand = (program, perform) =>
  program
    .command('stage')
    .description('explain the file of a stage')
    .addHelpText('after', STAGE_HELP)
    .command('explain')
    .description('print every setting in force, and where it comes from')
    .argument('<stage>', 'its name', stageName)
    .action(withPlace(perform, stageExplain, 'here'));

const LONGEST_VALUE = 60;

/** Every setting in force, and where it comes from. */
async function stageExplain(_place: PlaceOptions, name: string): Promise<CommandResult> {
  const { allSettings, schemaOf } = await import('../../infra/all-settings.ts');
  const { readSettingsFile, valueAt } = await import('../../infra/settings-file.ts');
  const { checkedStage, stageSchema } = await import('../../infra/stages.ts');
  const file = readSettingsFile(fileOfStage(name, stagesFolder()));
  const stage = checkedStage(name, file);
  const rows = allSettings(schemaOf(stageSchema)).flatMap(({ name: setting, isGroup }) => {
    const path = setting.split('.');
    const value = valueAt(stage, path);
    const line = file.lineOf(path);
    const from = line === undefined ? 'default' : `${shown(file.path)}:${line}`;
    return isGroup || value === undefined ? [] : [{ setting, value, from }];
  });
  const table = rows.map(({ setting, value, from }) => [setting, short(value), from]);
  return { lines: columns([['SETTING', 'VALUE', 'FROM'], ...table]), json: rows };
}

const short = (value: unknown) => truncate(typeof value === 'string' ? value : JSON.stringify(value), LONGEST_VALUE);
