import type { Command } from 'commander';
import { orderReference, type Perform } from './arguments.ts';

const REFERENCE = 'your reference for the order; by default the name of the folder';

interface SubmitOptions {
  ref?: string;
  withoutUnnamed?: true;
}

/** The commands for a partner's back office. */
export function addPackageCommands(program: Command, perform: Perform): void {
  const ofFolder = (name: string, description: string) =>
    program.command(name).description(description).argument('<folder>', 'the folder of the package');
  ofFolder('init', 'ask for what a package needs, and write its order.json').action((folder: string) =>
    perform(async () => (await import('./init.ts')).init(folder), 'here'),
  );
  ofFolder('lint', 'check a package on this machine as intake checks it; exit code 1 if it has problems')
    .option('--ref <orderRef>', REFERENCE, orderReference)
    .action((folder: string, { ref }: { ref?: string }) =>
      perform(async (place) => (await import('./lint.ts')).lint(place, folder, ref), 'here'),
    );
  program
    .command('submit')
    .description('check packages, upload them to intake, and wait for the answers')
    .argument('<folder...>', 'the folders of the packages')
    .option('--ref <orderRef>', `${REFERENCE}; for one folder`, orderReference)
    .option('--without-unnamed', 'submit without the files that order.json does not name')
    .action((folders: string[], { ref, withoutUnnamed }: SubmitOptions, self: Command) => {
      const [only = ''] = folders;
      if (folders.length === 1) {
        return perform(async (place) => {
          const { askToLeaveOut } = await import('./package/leave-out.ts');
          const { submit } = await import('./submit.ts');
          return submit(place, only, ref, withoutUnnamed ? {} : { leaveOut: askToLeaveOut });
        });
      }
      if (ref !== undefined) self.error('error: --ref is for one folder: the name of each folder is its reference');
      return perform(async (place) => (await import('./submit-many.ts')).submitMany(place, folders, withoutUnnamed));
    });
}
