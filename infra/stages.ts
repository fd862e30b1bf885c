import { existsSync } from 'node:fs';
import type { Construct } from 'constructs';
import type { z } from 'zod';
import { checkSettings, readSettingsFile, type SettingsFile } from './settings-file.ts';
import { fileOfStage, isInEveryFolder, LAPTOP_STAGE, SettingsError, stageNames, stagesFolder } from './stage-folder.ts';
import { deployedStageSchema, stageSchema } from './stage-settings.ts';

export type Stage = z.infer<typeof stageSchema> & { name: string };

/**
 * The checked settings of a stage, from its file in a folder.
 * @throws SettingsError that names every setting that is missing or malformed.
 */
export function stageSettings(name: string | undefined, folder = stagesFolder()): Stage {
  if (!name) throw new SettingsError(`Say which stage: -c stage=<${stageNames(folder).join(' | ')}>.`);
  return checkedStage(name, readSettingsFile(fileOfStage(name, folder)));
}

/** The stage that the context of an app names, and its folder. In `cdk.json`, both may be no texts. */
export function namedStage({ node }: Pick<Construct, 'node'>): { settings: Stage; folder: string } {
  const textOf = (name: string) => {
    const value: unknown = node.tryGetContext(name);
    return value === undefined ? undefined : String(value);
  };
  const folder = stagesFolder(textOf('stages'));
  return { settings: stageSettings(textOf('stage'), folder), folder };
}

/**
 * The same for a command, which needs no file: undefined if this machine has none of the stage.
 * @throws SettingsError also if LOAN_ORDERS_STAGES names a folder that does not exist.
 */
export function knownStage(name: string): Stage | undefined {
  const folder = stagesFolder();
  const names = process.env.LOAN_ORDERS_STAGES || existsSync(folder) ? stageNames(folder) : [];
  return names.includes(name) || isInEveryFolder(name) ? stageSettings(name, folder) : undefined;
}

/** The same, of a file that has been read. */
export function checkedStage(name: string, file: SettingsFile): Stage {
  return { ...checkSettings(file, name === LAPTOP_STAGE ? stageSchema : deployedStageSchema), name };
}
