import { Annotations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { readSettingsFile } from './settings-file.ts';
import { fileOfStage, LAPTOP_STAGE, stageNames } from './stage-folder.ts';
import type { Stage } from './stages.ts';

type Other = Partial<Pick<Stage, 'account' | 'keepData'>> & { orderService?: Partial<Stage['orderService']> };

/** Warns of what may be wrong with two stages of a folder though each alone is right. Both may be meant. */
export function warnOfNeighbours(scope: Construct, stage: Stage, folder: string): void {
  const warn = (id: string, text: string) => Annotations.of(scope).addWarningV2(`loan-orders:${id}`, text);
  const others = stageNames(folder).filter((name) => ![stage.name, LAPTOP_STAGE].includes(name));
  if (stage.name === LAPTOP_STAGE) return;
  for (const name of others) {
    const other = settingsOf(name, folder);
    if ((other.keepData ?? true) !== stage.keepData && haveSameAddress(stage, other)) {
      warn(
        `same-address-${name}`,
        `Stages ${stage.name} and ${name} have the same address of the order service, but only one of them keeps its data.`,
      );
    }
    if (name.startsWith(`${stage.name}-`) && areInOneAccount(stage, other)) {
      warn(
        `name-begins-${name}`,
        `Whoever may read the logs of stage ${stage.name} may read those of ${name} in the same account: names of log groups begin with that of the stage.`,
      );
    }
  }
}

function haveSameAddress({ orderService: { baseUrl, authorizationUrl } }: Stage, { orderService }: Other): boolean {
  return baseUrl === orderService?.baseUrl || authorizationUrl === orderService?.authorizationUrl;
}

function areInOneAccount({ account }: Stage, other: Other): boolean {
  return account === undefined || other.account === undefined || account === other.account;
}

/** The file of another stage as it is. What is wrong with it is said when that stage is synthesized. */
function settingsOf(name: string, folder: string): Other {
  try {
    return readSettingsFile(fileOfStage(name, folder)).settings;
  } catch {
    return {};
  }
}
