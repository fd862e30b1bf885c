import { isBehind } from '../../core/recovery/move.ts';
import { type DeployedSettings, RECORD_FORMAT } from '../../infra/deployed-settings.ts';
import manifest from '../../package.json' with { type: 'json' };
import { areCredentialsRefused, isAccessDenied, problemOf } from '../shared/failure.ts';
import type { ListedOrder } from '../shared/order-details.ts';
import { place } from '../shared/place.ts';
import { capitalized, some, time } from '../shared/text.ts';
import { NotChecked, ok, problem, type Verdict } from './finding.ts';
import { ordersOf } from './order-checks.ts';
import { QUEUED } from './stage-checks.ts';
import { outputIn, type StageView, settingsIn, settingsOf, stackOf } from './stage-view.ts';

/** AWS refuses calls of a machine whose clock is off by five minutes. */
const MOST_CLOCK_SECONDS = 60;

/** The policies for people name the stack, so AWS also denies access to stacks that do not exist. */
const MAYBE_ELSEWHERE = 'Or the stack is not in this account and region: check --stage, AWS_PROFILE and AWS_REGION.';

export async function checkAwsCredentials({ options, credentials, region, stack }: StageView): Promise<Verdict> {
  if ('error' in credentials) return problem(problemOf(credentials.error, place(options)));
  if ('error' in region) throw new NotChecked('there is no region to try them in');
  const error = stack && 'error' in stack ? stack.error : undefined;
  if (error && areCredentialsRefused(error)) return problem(problemOf(error, place(options)));
  if (error && !isAccessDenied(error)) throw new NotChecked(`${place(options)} gave no answer that can be used`);
  return ok(`${capitalized(place(options))} accepts them.`);
}

export async function checkPlace(view: StageView): Promise<Verdict> {
  const { options, home, region, actual } = view;
  if ('error' in region) return problem(problemOf(region.error, place(options)));
  if (view.mismatch !== undefined) return problem(view.mismatch);
  const { account = 'not known without a stack' } = actual;
  const unsaid = [home.account ? '' : 'account', home.region ? '' : 'region'].filter(Boolean);
  const said =
    unsaid.length === 0
      ? ', as the settings say'
      : `; the settings name no ${unsaid.join(' and no ')} for stage ${home.name}`;
  return ok(`The account is ${account}, the region is ${actual.region}${said}.`);
}

export async function checkStack(view: StageView): Promise<Verdict> {
  const { options, stackName, stack } = view;
  if (stack && 'error' in stack) {
    if (areCredentialsRefused(stack.error)) throw new NotChecked('the credentials were refused');
    const said = problemOf(stack.error, place(options));
    return problem(isAccessDenied(stack.error) ? `${said} ${MAYBE_ELSEWHERE}` : said);
  }
  if (stack && !stack.value && view.mismatch === undefined) {
    return problem(
      `There is no stack ${stackName} in this account and region. Check --stage, AWS_PROFILE and AWS_REGION, or deploy the ` +
        'stage (docs/deployment.md).',
    );
  }
  const { StackStatus: status = 'unknown', LastUpdatedTime, CreationTime } = stackOf(view);
  return stackVerdict(stackName, status, view.home.name, LastUpdatedTime ?? CreationTime);
}

export function stackVerdict(stackName: string, status: string, stage: string, since?: Date): Verdict {
  const is = `Stack ${stackName} is ${status}`;
  if (/^(CREATE|UPDATE|IMPORT)_COMPLETE$/.test(status)) {
    return ok(`${is}${since ? `, deployed at ${time(since.toISOString())}` : ''}.`);
  }
  const [, next = ''] = ADVICE.find(([statuses]) => statuses.test(status)) ?? [];
  return problem(`${is}: ${next.replaceAll('<stack>', stackName).replaceAll('<stage>', stage)}`);
}

const WHY = 'Its events in CloudFormation say why.';

/** What to do about a stack, by its status. The first row that fits counts. */
const ADVICE: [statuses: RegExp, next: string][] = [
  [/^REVIEW_/, 'a deployment was prepared, and nothing is deployed yet. Deploy the stage (docs/deployment.md).'],
  [/^DELETE_IN_PROGRESS$/, 'it is being removed. Repeat when that is over.'],
  [/_IN_PROGRESS$/, 'a deployment is under way. Repeat when it is over.'],
  [/^DELETE_/, `its removal failed. ${WHY} Fix that, and remove it again (docs/deployment.md#removing-a-stage).`],
  [
    /^ROLLBACK_/,
    `the first deployment failed. ${WHY} The CDK deletes the stack before it deploys again: first lift the protection, ` +
      '"aws cloudformation update-termination-protection --stack-name <stack> --no-enable-termination-protection" ' +
      '(docs/deployment.md#if-the-first-deployment-fails).',
  ],
  [/_ROLLBACK_COMPLETE$/, `the last deployment failed, and what was deployed before it runs. ${WHY} Deploy again.`],
  [/^UPDATE_ROLLBACK_/, `its rollback failed. ${WHY} Fix it, run "loan-orders rollback <stage>", then deploy.`],
  [/./, `the last deployment failed. ${WHY} Deploy the stage again (docs/deployment.md).`],
];

/** The partner chooses what the gate does not check, so it is not a problem. */
export function signaturesVerdict(settings: Omit<DeployedSettings['signatures'], 'signers' | 'largestSignatureBytes'>) {
  const { gate, unchecked, hasAuthorities, hasRevocationLists } = settings;
  if (gate === 'off') return ok('Signatures are not checked: signing.gate is off.');
  const left = [
    ...(!hasAuthorities ? ["who issued the signers' certificates (signing.caBundle)"] : []),
    ...(!hasRevocationLists ? ['whether they were revoked (signing.crl, signing.revocation)'] : []),
    ...(unchecked === 'accept' ? ['algorithms that are not known here (signing.unchecked)'] : []),
  ];
  return ok(`Signatures are checked${left.length > 0 ? `, but not ${left.join(', nor ')}` : ''}.`);
}

export function expectedOutputs(settings: DeployedSettings): string[] {
  const { packages, hasClientCertificate, hasEvidenceKey, hasOwnTopic } = settings;
  const queues = Object.values(QUEUED).flatMap((queue) => [`${queue}QueueUrl`, `${queue}DeadLetterQueueUrl`]);
  const people = ['BackOffice', 'Signer', 'CreditDesk', 'Operator', 'OperatorStage', 'DataProtection', 'Auditor'];
  return [
    'IntakeBucket',
    'StagingBucket',
    'CredentialsSecret',
    'OrderStateMachine',
    'OrderTable',
    'LogGroups',
    'EventBus',
    'Settings',
    'LegalHold',
    'Release',
    'DecisionMembers',
    ...queues,
    'DeadLetterQueueUrl',
    ...people.map((person) => `${person}Policy`),
    ...(hasClientCertificate ? ['ClientCertificateSecret'] : []),
    ...(packages.hasKey ? ['SigningKey'] : []),
    ...(hasEvidenceKey ? ['EvidenceKey', 'EvidenceSignerPolicy'] : []),
    ...(hasOwnTopic ? ['AlarmTopicArn'] : []),
  ];
}

export async function checkOutputs(view: StageView): Promise<Verdict> {
  const expected = expectedOutputs(settingsIn(view));
  const missing = expected.filter((name) => !outputIn(view, name));
  if (missing.length === 0) return ok(`The stack has all ${expected.length} outputs.`);
  return problem(
    `The stack lacks ${some(missing.length, 'output')}: ${missing.join(', ')}. The settings or the commands are newer than ` +
      'what is deployed: deploy the stage again.',
  );
}

export async function checkClock({ clockAhead, options }: StageView): Promise<Verdict> {
  if (clockAhead === undefined) throw new NotChecked(`${place(options)} did not answer with a time`);
  // AWS returns whole seconds, rounded down.
  const seconds = Math.floor(clockAhead / 1000);
  const apart = `${some(Math.abs(seconds), 'second')} ${seconds < 0 ? 'behind' : 'ahead of'} ${place(options)}`;
  if (Math.abs(seconds) <= MOST_CLOCK_SECONDS) return ok(`This machine's clock is ${apart}.`);
  return problem(
    `This machine's clock is ${apart}. Set it, and let the machine keep it (NTP): AWS refuses calls of a machine whose clock is ` +
      'five minutes off.',
  );
}

export async function checkRelease(view: StageView): Promise<Verdict> {
  const release = outputIn(view, 'Release');
  if (!release) throw new NotChecked('the stack has no output Release');
  const behind = releaseProblem(release, await ordersOf(view), view.settings?.holdReleases ?? false);
  if (behind !== undefined) return problem(behind);
  const versions = `Release ${release} is deployed. This command line is ${manifest.version}.`;
  if (view.options.local) return ok(versions);
  return ok(`${versions} "loan-orders diff ${view.home.name}" shows whether it differs from that release.`);
}

/** Whether this release may be deployed over the one of the stack. */
export async function checkUpdate(view: StageView): Promise<Verdict> {
  stackOf(view);
  const deployed: Partial<DeployedSettings> = settingsOf(view.stack) ?? {};
  const leap = updateProblem(deployed, 0);
  if (leap !== undefined) return problem(leap);
  const release = outputIn(view, 'Release') ?? '';
  const behind =
    deployed.recordFormat === RECORD_FORMAT ? [] : (await ordersOf(view)).filter((order) => isBehind(order, release));
  const left = behind.filter(({ waitingFor }) => waitingFor !== 'nobody').length;
  const reason = updateProblem(deployed, left);
  return reason === undefined
    ? ok(`Release ${manifest.version} may be deployed over release ${deployed.version ?? 'before 1.0.0'}.`)
    : problem(reason);
}

/** @param left how many open orders are still in a release before the deployed one. */
export function updateProblem(
  { version = 'before 1.0.0', recordFormat = 1 }: Partial<DeployedSettings>,
  left: number,
  own = { version: manifest.version, recordFormat: RECORD_FORMAT },
): string | undefined {
  const further = own.recordFormat - recordFormat;
  if (further === 0) return undefined;
  const apart = `Release ${version} is deployed, with records of format ${recordFormat}; release ${own.version} has format ${own.recordFormat}`;
  if (Math.abs(further) > 1)
    return `${apart}, and reads only the ones before and after: it must not be deployed yet. First deploy the last release of format ${recordFormat + Math.sign(further)}, which CHANGELOG.md names, and let all orders move to it (docs/updating.md).`;
  // Back is always open: the release before reads what both have written.
  if (left === 0 || further < 0) return undefined;
  return `${apart}, but ${some(left, 'open order')} did not yet move to release ${version}: it must not be deployed yet. Run "loan-orders migrate --all", and repeat when they have moved (docs/updating.md).`;
}

/** Undefined if most of the open orders run in the release that is deployed. */
export function releaseProblem(release: string, orders: ListedOrder[], isHeld: boolean): string | undefined {
  const open = orders.filter(({ waitingFor }) => waitingFor !== 'nobody');
  const others = open.filter((order) => isBehind(order, release));
  if (others.length === 0 || others.length * 2 < open.length) return undefined;
  const older = new Set(others.map((order) => order.release)).size;
  const next = isHeld
    ? 'holdReleases keeps them there: move them with "loan-orders migrate --all".'
    : 'The sweep moves each at its next read.';
  return `Release ${release} is deployed, but ${others.length} of ${some(open.length, 'open order')} run in ${some(older, 'older release')}. ${next}`;
}
