import type { RejectedUpload } from '../core/staging/rejected-upload.ts';
import { packageSettings } from '../infra/deployed-settings.ts';
import { knownStage, stageSchema } from '../infra/stages.ts';
import { type LocalPackage, readPackage } from './shared/local-package.ts';
import type { PlaceOptions } from './shared/place.ts';
import { problemText } from './shared/rejection-text.ts';
import { type Answer, bytes, coloured, plain, some } from './shared/text.ts';

/** The settings of a stage that has only what it must have. */
const DEFAULTS = stageSchema.parse({ orderService: { baseUrl: 'https://a', authorizationUrl: 'https://b' } });
/** Exit code of a package with problems. */
const HAS_PROBLEMS = 1;

/**
 * `lint <folder>`: the checks of the function `check-package`, on this machine and without a network: with the settings of the stage's file or,
 * without one, with the defaults.
 */
export async function lint({ stage }: PlaceOptions, folder: string, ref?: string): Promise<Answer> {
  const local = await readPackage(folder, packageSettings(knownStage(stage) ?? DEFAULTS), ref);
  const { orderRef, problems, unnamed } = local;
  return {
    lines: problems.length > 0 ? problemLines(local) : passedLines(local),
    json: { folder, orderRef, problems, unnamed },
    exitCode: problems.length > 0 ? HAS_PROBLEMS : 0,
  };
}

/** Each problem with its place and what to do. */
export function problemLines({
  folder,
  problems,
}: Pick<LocalPackage, 'folder'> & Pick<RejectedUpload, 'problems'>): string[] {
  return [
    coloured('bad', `${folder} has ${some(problems.length, 'problem')}:`),
    ...problems.map((problem) => `  ${plain(problemText(problem))}`),
  ];
}

function passedLines({ folder, orderRef, passed, orderJson, unnamed }: LocalPackage): string[] {
  const documents = passed?.documents ?? [];
  const size = documents.reduce((sum, document) => sum + document.size, orderJson.length);
  return [
    coloured(
      'good',
      `${folder} has no problem: order ${orderRef}, ${some(documents.length, 'document')}, ${bytes(size)}.`,
    ),
    ...unnamed.map(
      (file) => `  ${file} is not named in order.json: it is not part of the package, and is not uploaded.`,
    ),
  ];
}
