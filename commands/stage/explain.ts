import { allSettings, schemaOf } from '../../infra/all-settings.ts';
import { readSettingsFile } from '../../infra/settings-file.ts';
import { fileOfStage, shown, stagesFolder } from '../../infra/stage-folder.ts';
import { checkedStage, stageSchema } from '../../infra/stages.ts';
import { type Answer, columns, cut } from '../shared/text.ts';

const LONGEST_VALUE = 60;

/** `stage explain <stage>`: every setting in force, and where it comes from. */
export async function stageExplain(name: string): Promise<Answer> {
  const file = readSettingsFile(fileOfStage(name, stagesFolder()));
  const stage: unknown = checkedStage(name, file);
  const rows = allSettings(schemaOf(stageSchema)).flatMap(({ name: setting, isGroup }) => {
    const path = setting.split('.');
    const value = path.reduce((part, key) => (part as Record<string, unknown> | undefined)?.[key], stage);
    const line = file.lineOf(path);
    const from = line === undefined ? 'default' : `${shown(file.path)}:${line}`;
    return isGroup || value === undefined ? [] : [{ setting, value, from }];
  });
  const table = rows.map(({ setting, value, from }) => [setting, short(value), from]);
  return { lines: columns([['SETTING', 'VALUE', 'FROM'], ...table]), json: rows };
}

const short = (value: unknown) => cut(typeof value === 'string' ? value : JSON.stringify(value), LONGEST_VALUE);
