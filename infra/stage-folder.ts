import { existsSync, readdirSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const LAPTOP_STAGE = 'local';
/** The stage that has the simulator as its order service (infra/rehearsal). */
export const REHEARSAL_STAGE = 'rehearsal';
/** The CDK's context with which laptop/synthesize.ts synthesizes for the embedded AWS. */
export const EMBEDDED_CONTEXT = 'loan-orders:embedded';
/** Every folder has these: without its own file, it uses that of the project. */
const STAGES_OF_ALL = [LAPTOP_STAGE, REHEARSAL_STAGE];

/** Whether the stage exists even in a folder without a file for it; not in the built command line, which lacks the project's folder. */
export const isInEveryFolder = (name: string) => STAGES_OF_ALL.includes(name) && existsSync(OWN_FOLDER);

const ENDING = /\.(yaml|yml|json)$/;
const OWN_FOLDER = fileURLToPath(new URL('../stages', import.meta.url));

/** With more, the longest settings would not fit into the environment of a function (test/infra/quotas.test.ts). */
const LONGEST_NAME = 20;
const NAME = /^[a-z](-?[a-z0-9])*$/;

/** An error about a stage or its settings, in one sentence for their author. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/** The folder with the files of stages: `-c stages=…`, LOAN_ORDERS_STAGES, or `stages/` of the current folder, else of the project. */
export const stagesFolder = (named?: string): string =>
  resolve(named || process.env.LOAN_ORDERS_STAGES || (existsSync('stages') ? 'stages' : OWN_FOLDER));

export function stageNames(folder = stagesFolder()): string[] {
  const files = filesIn(folder).map((file) => file.replace(ENDING, ''));
  return [...new Set(files)].sort();
}

/** @throws SettingsError if AWS would reject names of resources that contain the stage's name. */
export function checkStageName(name: string): string {
  if (name.endsWith('-legacy'))
    throw new SettingsError(
      `Stage ${name} cannot have this name: the exchange of another stage has names that end in -legacy.`,
    );
  if (NAME.test(name) && name.length <= LONGEST_NAME) return name;
  throw new SettingsError(
    `Stage ${JSON.stringify(name)} cannot have this name: names of functions and buckets contain it, so it must have at most ` +
      `${LONGEST_NAME} characters, a-z, 0-9 and single hyphens, and begin with a letter.`,
  );
}

/**
 * The file of a stage in a folder, or in its subfolder `part`.
 * @throws SettingsError if there is none, or two.
 */
export function fileOfStage(name: string, folder: string, part = ''): string {
  checkStageName(name);
  const inside = join(folder, part);
  const [found, other] = filesIn(inside).filter((file) => file.replace(ENDING, '') === name);
  if (other)
    throw new SettingsError(`Stage ${name} has two files in ${shown(inside)}, ${found} and ${other}: keep one.`);
  if (found) return join(inside, found);
  if (STAGES_OF_ALL.includes(name) && folder !== OWN_FOLDER) return fileOfStage(name, OWN_FOLDER, part);
  const known = stageNames(inside).join(', ') || 'none';
  const here = folder === OWN_FOLDER && !existsSync('stages') ? ` Write stages/${name}.yaml here.` : '';
  throw new SettingsError(
    `Stage ${name} is unknown: ${shown(inside)} has no file of it. Stages there: ${known}.${here}`,
  );
}

/** Whether the subfolder has a file of the stage. */
export const hasStage = (name: string, folder: string, part: string): boolean =>
  existsSync(join(folder, part)) && stageNames(join(folder, part)).includes(name);

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((file) => ENDING.test(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingsError(
      `The folder of stages ${shown(folder)} cannot be read (${code}): name another with LOAN_ORDERS_STAGES.`,
    );
  }
}

/** A path for messages: relative if that is short. */
export function shown(path: string): string {
  const near = relative('', path);
  return near.startsWith('..') || isAbsolute(near) ? path : near || '.';
}
