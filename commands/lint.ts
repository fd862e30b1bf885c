import { type AddCommand, FOLDER_REFERENCE, ofFolder, orderReference, withPlace } from './shared/arguments.ts';
import type { LocalPackage } from './shared/local-package.ts';
import type { PlaceOptions } from './shared/place.ts';
import { problemLines } from './shared/rejection-text.ts';
import { type CommandResult, coloured, formatBytes, plain, some } from './shared/text.ts';

export const addLint: AddCommand = (program, perform) =>
  ofFolder(program, 'lint', 'check a package on this machine as intake checks it; exit code 1 if it has problems')
    .option('--ref <orderRef>', FOLDER_REFERENCE, orderReference)
    .action(withPlace(perform, lint, 'here'));

const HAS_PROBLEMS = 1;

/** As `check-package`, without a network, by the settings of the stage's file or, without one, by the defaults. */
async function lint({ stage }: PlaceOptions, folder: string, { ref }: { ref?: string }): Promise<CommandResult> {
  const { packageSettings } = await import('../infra/deployed-settings.ts');
  const { readPackage } = await import('./shared/local-package.ts');
  const { knownStage, stageSchema } = await import('../infra/stages.ts');
  // Only the settings that have no default.
  const defaults = { orderService: { baseUrl: 'https://a', authorizationUrl: 'https://b' } };
  const local = await readPackage(folder, packageSettings(knownStage(stage) ?? stageSchema.parse(defaults)), ref);
  const { orderRef, problems, unnamed } = local;
  return {
    lines: problems.length > 0 ? problemLines(local) : passedLines(local),
    json: { folder, orderRef, problems, unnamed },
    exitCode: problems.length > 0 ? HAS_PROBLEMS : 0,
  };
}

function passedLines({ folder, orderRef, passed, orderJson, unnamed }: LocalPackage): string[] {
  const documents = passed?.documents ?? [];
  const size = documents.reduce((sum, document) => sum + document.size, orderJson.length);
  return [
    coloured(
      'good',
      `${folder} has no problem: order ${orderRef}, ${some(documents.length, 'document')}, ${formatBytes(size)}.`,
    ),
    ...unnamed.map(
      (file) => `  ${plain(file)} is not named in order.json: it is not part of the package, and is not uploaded.`,
    ),
  ];
}
