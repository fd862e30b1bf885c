import { Annotations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { readSettingsFile } from './settings-file.ts';
import { fileOfStage, LAPTOP_STAGE, SettingsError, stageNames } from './stage-folder.ts';
import type { Stage } from './stages.ts';

type Other = Partial<Pick<Stage, 'account' | 'keepData'>> & {
  orderService?: Partial<Stage['orderService']>;
  existing?: Partial<Stage['existing']>;
  buckets?: Partial<Stage['buckets']>;
};

const SERVICES = ['baseUrl', 'authorizationUrl'] as const;

/**
 * Refuses the address of the wrong environment, which looks valid in its own file.
 * @throws SettingsError if another stage of the folder has the address, and only one of them retains its data.
 */
export function refuseWrongAddress(stage: Stage, folder: string): void {
  for (const [name, other] of othersIn(folder, stage)) {
    const shared = SERVICES.find((service) => stage.orderService[service] === other.orderService?.[service]);
    if ((other.keepData ?? true) === stage.keepData || shared === undefined) continue;
    throw new SettingsError(
      `Stages ${stage.name} and ${name} both have orderService.${shared} ${stage.orderService[shared]}, but only one of them keeps its ` +
        'data: correct one file or, if it is meant, keep the stages in two folders.',
    );
  }
}

/**
 * Refuses the table or the bucket of another stage: each would act on the orders of both.
 * @throws SettingsError if another stage of the folder has it in what may be the same account.
 */
export function refuseSharedResources(stage: Stage, folder: string): void {
  for (const [name, other] of othersIn(folder, stage)) {
    const theirs = givenTo(other);
    const shared = givenTo(stage).find((resource) => theirs.includes(resource));
    if (shared === undefined || !areInOneAccount(stage, other)) continue;
    throw new SettingsError(`Stages ${stage.name} and ${name} both have ${shared}: give each stage its own.`);
  }
}

function givenTo({ existing, buckets }: Pick<Other, 'existing' | 'buckets'>): string[] {
  const named = {
    'existing.table': existing?.table,
    'buckets.intake': buckets?.intake,
    'buckets.staging': buckets?.staging,
  };
  return Object.entries(named).flatMap(([setting, value]) => (value === undefined ? [] : [`${setting} ${value}`]));
}

/** Warns of possible conflicts between two stages of a folder that are each valid. */
export function warnOfNeighbours(scope: Construct, stage: Stage, folder: string): void {
  for (const [name, other] of othersIn(folder, stage)) {
    if (!name.startsWith(`${stage.name}-`) || !areInOneAccount(stage, other)) continue;
    Annotations.of(scope).addWarningV2(
      `loan-orders:name-begins-${name}`,
      `Whoever may read the logs of stage ${stage.name} may read those of ${name} in the same account: names of log groups begin with that of the stage.`,
    );
  }
}

function othersIn(folder: string, stage: Stage): [name: string, settings: Other][] {
  if (stage.name === LAPTOP_STAGE) return [];
  const others = stageNames(folder).filter((name) => ![stage.name, LAPTOP_STAGE].includes(name));
  return others.map((name) => [name, settingsOf(name, folder)]);
}

const areInOneAccount = ({ account }: Stage, other: Other): boolean =>
  account === undefined || other.account === undefined || account === other.account;

/** The unchecked file of another stage. Its problems are reported when that stage is synthesized. */
function settingsOf(name: string, folder: string): Other {
  try {
    return readSettingsFile(fileOfStage(name, folder)).settings;
  } catch {
    return {};
  }
}
