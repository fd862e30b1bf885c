import { parseArgs } from 'node:util';
import type { Command } from 'commander';
import type { Stage } from '../infra/stages.ts';
import { NotChecked, type Verdict } from './doctor/finding.ts';
import { type AddCommand, type Print, stageName } from './shared/arguments.ts';
import { refuseInOneFile, runCdk } from './shared/project.ts';
import { type CommandResult, REFUSED, Refusal } from './shared/text.ts';

const DOES = {
  bootstrap: "prepare the stage's account and region for the CDK, once; administrators may",
  synth: 'synthesize the stacks of a stage into cdk.out; needs no credentials',
  diff: 'show what a deployment would change',
  deploy: 'deploy a stage; shows rights, and asks',
  rollback: 'roll a failed deployment back',
  destroy: 'remove the stacks of a stage',
};

const CDK_HELP = `
Options after the stage are those of the AWS CDK's command of this name, such as --require-approval never.
The file of the stage is in stages/ of this folder, or in the folder that LOAN_ORDERS_STAGES names.`;

/** The commands of the AWS CDK, with the CDK and the stacks of this release. */
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
        .action((stage: string, more: string[], _options: object, self: Command) => {
          const typed = ['local', 'endpoint', 'stage'].find((name) => program.getOptionValueSource(name) === 'cli');
          if (typed) self.error(`error: --${typed} does not go with ${command}, which acts on AWS`);
          return perform((_place, print) => cdk(command, stage, more, print), 'here');
        }),
);

async function cdk(
  command: string,
  stage: string,
  more: string[],
  print: Print = () => undefined,
): Promise<CommandResult> {
  refuseInOneFile('deploy a stage');
  const { stageSettings } = await import('../infra/stages.ts');
  const settings = stageSettings(stage);
  if (settings.stackName !== undefined && !['bootstrap', 'synth'].includes(command))
    throw new Refusal(
      `Stage ${stage} is in the stack ${settings.stackName} of a CDK app of yours: ${command} it there.`,
    );
  // The stack is looked for where the CDK deploys it, and with the same credentials.
  if (settings.region !== undefined) process.env.AWS_REGION = settings.region;
  const { profile } = parseArgs({ args: more, options: { profile: { type: 'string' } }, strict: false }).values;
  if (typeof profile === 'string') process.env.AWS_PROFILE = profile;
  if (command === 'deploy') await refuseLeap(settings, print);
  const bounds = command === 'bootstrap' ? boundaryOptions(settings.permissionsBoundary) : [];
  const code = await runCdk(command, stage, [...bounds, ...more]);
  return { lines: [], json: undefined, exitCode: code === 0 ? 0 : REFUSED };
}

/** The CDK takes account, region and qualifier from the app, but no boundary, which may not be a policy of AWS. */
export function boundaryOptions(boundary = ''): string[] {
  const policy = boundary.replace(/^arn:aws:iam::aws:.*|^arn:.*:policy\//, '');
  return policy ? ['--custom-permissions-boundary', policy, '--apply-permissions-boundary-to-all-roles'] : [];
}

/** @throws Refusal if this release cannot read what the deployed one writes. */
async function refuseLeap(settings: Stage, print: Print): Promise<void> {
  const { lookAt } = await import('./doctor/stage-view.ts');
  const { checkUpdate } = await import('./doctor/stack-checks.ts');
  const view = await lookAt({ stage: settings.name }, settings);
  // The first deployment.
  if (view.stack && 'value' in view.stack && !view.stack.value && view.mismatch === undefined) return;
  const { state, message } = await checkUpdate(view).catch((error: Error): Verdict => {
    if (!(error instanceof NotChecked)) throw error;
    return { state: 'not checked', message: error.message };
  });
  if (state === 'problem') throw new Refusal(`${message} Nothing was deployed.`);
  if (state === 'not checked')
    print(
      `Which release is deployed could not be read (${message}). "loan-orders doctor" checks the step from it to this one.`,
    );
}
