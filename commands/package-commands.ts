import type { Command } from 'commander';
import { orderReference, type Perform } from './arguments.ts';

/** The commands for a partner's back office. */
export function addPackageCommands(program: Command, perform: Perform): void {
  const ofFolder = (name: string, description: string) =>
    program.command(name).description(description).argument('<folder>', 'the folder of the package');
  const withReference = (name: string, description: string) =>
    ofFolder(name, description).option(
      '--ref <orderRef>',
      'your reference for the order; by default the name of the folder',
      orderReference,
    );
  ofFolder('init', 'ask for what a package needs, and write its order.json').action((folder: string) =>
    perform(async () => (await import('./init.ts')).init(folder), 'here'),
  );
  withReference('lint', 'check a package on this machine as intake checks it; exit code 1 if it has problems').action(
    (folder: string, { ref }: { ref?: string }) =>
      perform(async (place) => (await import('./lint.ts')).lint(place, folder, ref), 'here'),
  );
  withReference('submit', 'check a package, upload it to intake, and wait for the answer').action(
    (folder: string, { ref }: { ref?: string }) =>
      perform(async (place) => (await import('./submit.ts')).submit(place, folder, ref)),
  );
}
