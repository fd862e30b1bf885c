import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { type AddCommand, FOLDER_REFERENCE, orderReference, withPlace } from './shared/arguments.ts';
import { commandFailure } from './shared/failure.ts';
import type { LocalPackage } from './shared/local-package.ts';
import { type PlaceOptions, place as placeOf } from './shared/place.ts';
import { canAsk, requireYes } from './shared/questions.ts';
import { type CommandResult, plain, REFUSED, Refusal, some } from './shared/text.ts';
import type { Submission } from './submit/package.ts';

export const addSubmit: AddCommand = (program, perform) =>
  program
    .command('submit')
    .description('check packages, upload them to intake, and wait for the answers')
    .argument('<folder...>', 'the folders of the packages')
    .option('--ref <orderRef>', `${FOLDER_REFERENCE}; for one folder`, orderReference)
    .option('--without-unnamed', 'submit without the files that order.json does not name')
    .action((folders: string[], options: { ref?: string; withoutUnnamed?: true }, self: Command) => {
      const { ref, withoutUnnamed } = options;
      const [only = '', ...others] = folders;
      if (others.length > 0 && ref !== undefined)
        self.error('error: --ref is for one folder: the name of each folder is its reference');
      return withPlace(perform, async (place) => {
        if (others.length > 0) return submitMany(place, folders, withoutUnnamed);
        const { warnOfAlike } = await import('./submit/alike.ts');
        const warn = await warnOfAlike(place);
        return submit(place, only, ref, { warn, ...(!withoutUnnamed && { leaveOut: askToLeaveOut }) });
      })();
    });

/** Uploads only what intake does not have yet, `order.json` last, so it can be repeated at any time. */
export async function submit(
  place: PlaceOptions,
  folder: string,
  ref?: string,
  options: Partial<Omit<Submission, 'settings' | 'buckets'>> = {},
): Promise<CommandResult> {
  const { openIntake, submitPackage } = await import('./submit/package.ts');
  const { uploadProgress } = await import('./submit/progress.ts');
  return submitPackage({ ...(await openIntake(place)), progressOf: uploadProgress, ...options }, folder, ref);
}

const AT_ONCE = 8;

interface Outcome {
  orderRef: string;
  accepted: boolean;
  said: string;
}

/** Each under the name of its folder. An invalid one does not stop the others. */
async function submitMany(place: PlaceOptions, folders: string[], withoutUnnamed = false): Promise<CommandResult> {
  const references = new Map(folders.map((folder) => [basename(resolve(folder)), folder]));
  if (references.size < folders.length) {
    throw new Refusal(
      'Two of these folders have the same name, and the name is the reference: nothing was submitted. Submit them one by one with --ref.',
    );
  }
  const { openIntake, submitPackage } = await import('./submit/package.ts');
  const { packageProgress, silent } = await import('./submit/progress.ts');
  const { warnOfAlike } = await import('./submit/alike.ts');
  const submission = {
    ...(await openIntake(place)),
    warn: await warnOfAlike(place),
    // The files of one package among many are not shown.
    progressOf: () => silent,
    ...(!withoutUnnamed && { leaveOut: refuseToLeaveOut }),
  };
  const progress = packageProgress(folders.length);
  const waiting = [...references.entries()].entries();
  const outcomes: Outcome[] = [];
  const work = async () => {
    // All workers take from the same iterator.
    for (const [index, [orderRef, folder]] of waiting) {
      const outcome = await submitPackage(submission, folder).then(
        ({ lines, exitCode = 0 }) => ({ orderRef, accepted: exitCode === 0, said: lines.join('\n') }),
        (error: unknown) => ({ orderRef, accepted: false, said: commandFailure(error, placeOf(place)).sentence }),
      );
      outcomes[index] = outcome;
      progress.add(orderRef, outcome.accepted);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  progress.end();
  return summary(folders.length, outcomes);
}

function summary(count: number, outcomes: Outcome[]): CommandResult {
  const refused = outcomes.filter(({ accepted }) => !accepted);
  const lines = refused.flatMap(({ orderRef, said }) => ['', `${orderRef}:`, said]);
  const accepted = `${some(count, 'package')}: ${count - refused.length} accepted`;
  return {
    lines: refused.length > 0 ? [`${accepted}, ${refused.length} not:`, ...lines] : [`${accepted}.`],
    json: { orders: outcomes },
    ...(refused.length > 0 && { exitCode: REFUSED }),
  };
}

const NOTHING = 'Nothing was uploaded.';
const FIX = 'Name them in order.json, or add --without-unnamed.';

/** Asks whether to submit a package without the files that `order.json` does not name. */
async function askToLeaveOut(local: LocalPackage): Promise<void> {
  if (!canAsk()) return refuseToLeaveOut(local);
  await requireYes(`${sentence(local)} Submit without them?`, NOTHING, `${NOTHING} ${FIX}`);
}

/** @throws Refusal always: without a terminal nobody can be asked, and a forgotten document must not look like success. */
async function refuseToLeaveOut(local: LocalPackage): Promise<never> {
  throw new Refusal(`${sentence(local)} ${NOTHING} ${FIX}`);
}

function sentence({ folder, unnamed }: LocalPackage): string {
  return plain(`${folder} has ${some(unnamed.length, 'file')} that order.json does not name: ${unnamed.join(', ')}.`);
}
