import type { Command } from 'commander';
import { type AddCommand, stageName } from './shared/arguments.ts';
import { refuseInOneFile, runCdk } from './shared/project.ts';
import { REFUSED } from './shared/text.ts';

const DOES = {
  bootstrap: "prepare the stage's account and region for the CDK, once; administrators may",
  synth: 'synthesize the stacks of a stage into cdk.out; needs no credentials',
  diff: 'show what a deployment would change',
  deploy: 'deploy a stage; shows rights, and asks',
  destroy: 'remove the stacks of a stage',
};

const CDK_HELP = `
Options after the stage are those of the AWS CDK's command of this name, such as --require-approval never.
The file of the stage is in stages/ of this folder, or in the folder that LOAN_ORDERS_STAGES names.`;

/** The commands of the AWS CDK, around the CDK and the stacks of this release. */
export const addDeploy: readonly AddCommand[] = Object.entries(DOES).map(
  ([command, description]): AddCommand =>
    (program, perform) =>
      program
        .command(command)
        .description(description)
        .argument('<stage>', 'its name', stageName)
        .argument('[options...]', "options of the CDK's command")
        .allowUnknownOption()
        .addHelpText('after', CDK_HELP)
        .action((stage: string, more: string[], _options: object, _self: Command) =>
          perform(async () => {
            refuseInOneFile('deploy a stage');
            const code = await runCdk(command, stage, more);
            return { lines: [], json: {}, exitCode: code === 0 ? 0 : REFUSED };
          }, 'here'),
        ),
);
