import { existsSync } from 'node:fs';
import type { Construct } from 'constructs';
import * as z from 'zod';
import { deploymentSettings } from './deployment-settings.ts';
import { operationSettings } from './operation-settings.ts';
import { orderServiceSettings } from './order-service-settings.ts';
import { orderSettings } from './order-settings.ts';
import { checkSettings, readSettingsFile, type SettingsFile, valueAt } from './settings-file.ts';
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

/** Settings that may be the ARN of a resource, of the stage's account or also of another one. */
const OWN = ['encryption', 'permissionsBoundary'];
const SHARED = ['orderService.clientCertificate', 'signing.key', 'signing.evidenceKey', 'alarms.notify'];

/** Settings that name what is in another region or account. Without a region, the first ARN says which it is. */
export function givenElsewhere(stage: object, { account, region = '' }: Partial<Pick<Stage, 'account' | 'region'>>) {
  return [...OWN, ...SHARED].flatMap((name): [path: string[], message: string][] => {
    const path = name.split('.');
    const [arn, , , where = '', whose = ''] = String(valueAt(stage, path)).split(':');
    if (arn !== 'arn') return [];
    region ||= where;
    if (where !== '' && where !== region) return [[path, `must be in the region of the stage, ${region}`]];
    const isOthers = account !== undefined && OWN.includes(name) && ![account, 'aws'].includes(whose);
    return isOthers ? [[path, `must be in the account of the stage, ${account}`]] : [];
  });
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
