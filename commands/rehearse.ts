import { Argument } from 'commander';
import { REHEARSAL_STAGE } from '../infra/stage-folder.ts';
import type { Finding } from './doctor/finding.ts';
import { deployedPlace, type Rehearsal, type RehearsalStep, stacksOf } from './rehearse/rehearsal.ts';
import { reportLines, withoutIdentifiers } from './rehearse/report.ts';
import type { AddCommand, Print } from './shared/arguments.ts';
import { commandFailure } from './shared/failure.ts';
import { clientSettings, place as nameOf, type PlaceOptions } from './shared/place.ts';
import { refuseInOneFile } from './shared/project.ts';
import { canAsk, requireYes } from './shared/questions.ts';
import { type CommandResult, REFUSED, Refusal } from './shared/text.ts';

const REHEARSE_HELP = `
Steps, each of which can be run alone and again; without one, all but conformance:
  deploy       the stage rehearsal, with a simulator of the order service
  credentials  those of the simulator into the secret
  orders       four examples, signed, decided, and followed to their ends
  conformance  what AWS documents, compared with the account; as an administrator
  checklist    the first hour of docs/deployment.md
  remove       everything

With --local, it takes place in an embedded AWS on this machine. docs/deployment.md, "Rehearse".`;

const STEPS = {
  deploy: async () => (await import('./rehearse/deploy.ts')).deploy,
  credentials: async () => (await import('./rehearse/credentials.ts')).credentials,
  orders: async () => (await import('./rehearse/orders.ts')).rehearseOrders,
  conformance: async () => (await import('./rehearse/conformance.ts')).conformance,
  checklist: async () => (await import('./rehearse/checklist.ts')).checklist,
  remove: async () => (await import('./rehearse/remove.ts')).remove,
} satisfies Record<string, () => Promise<RehearsalStep>>;
type StepName = keyof typeof STEPS;

export const addRehearse: AddCommand = (program, perform) =>
  program
    .command('rehearse')
    .description('deploy, try and remove the stage rehearsal in your account, without a bank')
    .addArgument(new Argument('[step]', 'one step').choices(Object.keys(STEPS)))
    .option('--yes', 'do not ask')
    .addHelpText('after', REHEARSE_HELP)
    .action((step: StepName | undefined, options: { yes?: true }) =>
      perform((place, print) => rehearse(place, step, options, print), 'here'),
    );

/** Prices of us-east-1, 2026-01: the most are 40 metrics, 40 alarms, 3 keys and 3 secrets for an hour. */
const CENTS_FOR_AN_HOUR = 7;

/** @param step one step; by default all but conformance, which needs more rights. */
async function rehearse(
  options: PlaceOptions,
  step: StepName | undefined,
  { yes }: { yes?: true },
  print: Print = () => undefined,
): Promise<CommandResult> {
  refuseInOneFile('deploy a stage');
  const place = { ...options, stage: REHEARSAL_STAGE };
  const names = step ? [step] : (Object.keys(STEPS) as StepName[]).filter((name) => name !== 'conformance');
  if (!yes && !place.local) await ask(place, names);
  if (!place.local) await requireCredentials(place);
  const findings: Finding[] = [];
  for (const [index, name] of names.entries()) {
    try {
      findings.push(...(await run(name, place, print)));
    } catch (error) {
      return answer(place, findings, failed(error, place, names.slice(index)));
    }
  }
  return answer(place, findings);
}

/** The CDK would report it only after the synth, as a failed deployment. */
async function requireCredentials(place: PlaceOptions): Promise<void> {
  const { CloudFormationClient } = await import('@aws-sdk/client-cloudformation');
  const { config } = new CloudFormationClient(clientSettings(place));
  await config.credentials();
  await config.region();
}

async function run(name: StepName, options: PlaceOptions, print: Print): Promise<Finding[]> {
  // What is deployed may change from step to step.
  const place = name === 'deploy' || name === 'remove' ? options : await deployedPlace(options);
  const rehearsal: Rehearsal = { place, say: (line) => print(`${name}: ${withoutIdentifiers(line)}`) };
  return (await STEPS[name]())(rehearsal);
}

async function ask(place: PlaceOptions, names: StepName[]): Promise<void> {
  const nothing = 'Nothing was done.';
  const stacks = (await stacksOf(place)).join(', ');
  const isAdded = names.some((name) => name === 'deploy' || name === 'conformance');
  if (!isAdded && !names.includes('remove')) return;
  const what = isAdded
    ? `It costs about ${CENTS_FOR_AN_HOUR} US cents for an hour, and "rehearse remove" removes the stacks.`
    : `This deletes ${stacks} with all that they hold.`;
  if (!canAsk()) throw new Refusal(`${what} Repeat it with --yes: ${nothing.toLowerCase()}`);
  const deploys = isAdded ? `This deploys ${stacks} into the account of your credentials. ` : '';
  await requireYes(`${deploys}${what} Go on?`, nothing);
}

function failed(error: unknown, place: PlaceOptions, [name, ...rest]: StepName[]): string[] {
  const { sentence } = commandFailure(error, nameOf(place));
  if (name === 'remove') return [`The step remove failed, and can be repeated: ${sentence}`];
  const command = `loan-orders${place.local ? ' --local' : ''} rehearse`;
  const next = rest.filter((one) => one !== 'remove').map((one) => ` ${one}`);
  const later = next.length > 0 ? `, then${next.join(',')}` : '';
  return [
    `The step ${name} failed: ${sentence}`,
    `Whatever was deployed is still there${place.local ? '' : ', and costs'}. Repeat "${command} ${name}"${later}; "${command} remove" removes everything.`,
  ];
}

function answer(place: PlaceOptions, findings: Finding[], failure: string[] = []): CommandResult {
  const title = `Rehearsal on ${place.local ? 'the embedded AWS of this machine' : 'AWS'}, ${new Date().toISOString().slice(0, 10)}`;
  const holds = failure.length === 0 && findings.every(({ state }) => state !== 'problem');
  return {
    lines: [...(findings.length > 0 ? reportLines(title, findings) : []), ...failure.map(withoutIdentifiers)],
    json: {
      findings: findings.map((finding) => ({ ...finding, message: withoutIdentifiers(finding.message) })),
      ...(failure.length > 0 && { failure: failure.map(withoutIdentifiers) }),
    },
    exitCode: holds ? 0 : REFUSED,
  };
}
