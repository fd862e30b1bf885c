import { existsSync } from 'node:fs';
import type { Construct } from 'constructs';
import { z } from 'zod';
import { deploymentSettings } from './deployment-settings.ts';
import { operationSettings } from './operation-settings.ts';
import { orderServiceSettings } from './order-service-settings.ts';
import { orderSettings } from './order-settings.ts';
import { checkSettings, readSettingsFile, type SettingsFile } from './settings-file.ts';
import { fileOfStage, isInEveryFolder, LAPTOP_STAGE, SettingsError, stageNames, stagesFolder } from './stage-folder.ts';

/**
 * The schema of a stage's file, in four files by who sets the settings. `describe` explains each setting: `npm run generate` makes the
 * table of settings from it (scripts/write-settings.ts).
 */
export const stageSchema = z
  .strictObject({ ...deploymentSettings, ...orderServiceSettings, ...orderSettings, ...operationSettings })
  .refine(({ retention, keepData }) => keepData || !retention.legalHold, {
    error: 'must have keepData: true with retention.legalHold, because removing the stack removes the data',
  })
  .refine(({ uploads, buckets }) => !buckets.intake || Object.values(uploads).every((arns) => arns.length === 0), {
    error: 'must have uploads or buckets.intake, not both: the policy of your own bucket says who uploads',
  })
  .superRefine((stage, context) => {
    for (const [path, message] of givenElsewhere(stage, stage)) context.addIssue({ code: 'custom', path, message });
  });

/** Settings that name what the stage can't use from there. Without a region, the first one says which it is. */
export function givenElsewhere(stage: Omit<Stage, 'name'>, home: Partial<Pick<Stage, 'account' | 'region'>>) {
  let { region = '' } = home;
  return given(stage).flatMap(([path, arn]): [path: string[], message: string][] => {
    const [, , , where = '', whose = ''] = arn.startsWith('arn:') ? arn.split(':') : [];
    region ||= where;
    if (where !== '' && where !== region) return [[path, `must be in the region of the stage, ${region}`]];
    // Topics, secrets and keys that sign may be shared by accounts.
    const isOwn = ['encryption', 'permissionsBoundary'].includes(path.join('.'));
    const isOthers = isOwn && home.account !== undefined && !['', 'aws', home.account].includes(whose);
    return isOthers ? [[path, `must be in the account of the stage, ${home.account}`]] : [];
  });
}

/** Resources that a stage may name by their ARN, with the path of each setting. */
function given({ encryption, alarms, orderService, signing, permissionsBoundary }: Omit<Stage, 'name'>) {
  const all: [path: string[], value: unknown][] = [
    [['encryption'], encryption],
    [['orderService', 'clientCertificate'], orderService.clientCertificate],
    [['signing', 'key'], signing.key],
    [['signing', 'evidenceKey'], signing.evidenceKey],
    [['alarms', 'notify'], alarms.notify],
    [['permissionsBoundary'], permissionsBoundary],
  ];
  return all.filter((one): one is [string[], string] => typeof one[1] === 'string');
}

const THIS_MACHINE = /^(localhost|\[::1\]|0\.0\.0\.0|127(\.\d+){3})$/;

/** Only the laptop may use plain HTTP or local addresses: the client secret and the orders are sent to these addresses. */
export const deployedStageSchema = stageSchema.superRefine((stage, context) => {
  for (const name of ['baseUrl', 'authorizationUrl'] as const) {
    const address = stage.orderService[name];
    const isRemote =
      address.startsWith('https://') && URL.canParse(address) && !THIS_MACHINE.test(new URL(address).hostname);
    const message = 'must start with https://, and be on another machine';
    if (!isRemote) context.addIssue({ code: 'custom', path: ['orderService', name], message });
  }
});

export type Stage = z.infer<typeof stageSchema> & { name: string };

/**
 * The checked settings of a stage, from its file in a folder.
 * @throws SettingsError that names every setting that is missing or malformed.
 */
export function stageSettings(name: string | undefined, folder = stagesFolder()): Stage {
  if (!name) throw new SettingsError(`Say which stage: -c stage=<${stageNames(folder).join(' | ')}>.`);
  return checkedStage(name, readSettingsFile(fileOfStage(name, folder)));
}

/** The stage that the context of an app names, and its folder. In `cdk.json`, both may be values other than strings. */
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
