import type { Stage } from '../infra/stages.ts';
import { checkAlarms, checkSubscribers } from './doctor/alarm-checks.ts';
import { checkGivenBuckets } from './doctor/bucket-checks.ts';
import { checkCertificates, hasCertificates } from './doctor/certificate-checks.ts';
import { type Finding, MARKS, NotChecked, problem, type Verdict } from './doctor/finding.ts';
import {
  answersVerdict,
  creationsVerdict,
  ordersOf,
  ordersVerdict,
  serviceVerdict,
  tokenVerdict,
} from './doctor/order-checks.ts';
import {
  checkClock,
  checkCredentials,
  checkOutputs,
  checkPlace,
  checkRelease,
  checkStack,
  signaturesVerdict,
} from './doctor/stack-checks.ts';
import { checkClientCertificate, checkDeadLetters, checkQueues, checkSecret } from './doctor/stage-checks.ts';
import { lookAt, output, type StageView, settingsIn } from './doctor/stage-view.ts';
import { checkAdoptedTable } from './doctor/table-check.ts';
import { problemOf } from './shared/failure.ts';
import { type PlaceOptions, place } from './shared/place.ts';
import { type Answer, columns, type Meaning } from './shared/text.ts';

type Check = (view: StageView) => Promise<Verdict | Verdict[]>;

const MEANINGS: Record<string, Meaning> = { ok: 'good', '!!': 'bad', '--': 'attention' };
const NOT_IN_ORDER = 1;

/**
 * `doctor`: looks at everything that a stage needs, and says what to do about each problem. It changes nothing.
 * @param known what the stage should be, by default what its file says, if there is one.
 */
export async function doctor(options: PlaceOptions, known?: Stage): Promise<Answer> {
  const stage = known ?? (await import('../infra/stages.ts')).knownStage(options.stage);
  const view = await lookAt(options, stage);
  const findings: Finding[] = [];
  for (const [check, look] of checksOf(view)) {
    for (const verdict of [await verdictOf(look, view)].flat()) findings.push({ check, ...verdict });
  }
  return {
    lines: columns(
      findings.map(({ check, state, message }) => [MARKS[state], check, message]),
      (mark, column) => (column === 0 ? (MEANINGS[mark] ?? 'none') : 'none'),
    ),
    json: findings,
    exitCode: findings.every(({ state }) => state === 'ok') ? 0 : NOT_IN_ORDER,
  };
}

/** The sequence matters: a later check needs what an earlier one found. */
function checksOf(view: StageView): [name: string, check: Check][] {
  const { settings } = view;
  return [
    ['credentials', checkCredentials],
    ['account, region', checkPlace],
    ['stack', checkStack],
    ['outputs', checkOutputs],
    ['secret', checkSecret],
    ...(settings?.hasClientCertificate
      ? [['client certificate', checkClientCertificate] satisfies [string, Check]]
      : []),
    ...(Object.keys(settings?.givenBuckets ?? {}).length > 0
      ? [['buckets', checkGivenBuckets] satisfies [string, Check]]
      : []),
    ...(settings?.adoptedTable ? [['table', checkAdoptedTable] satisfies [string, Check]] : []),
    ['orders', async (view) => ordersVerdict(output(view, 'OrderTable'), await view.orders())],
    ['token', async (view) => tokenVerdict(await ordersOf(view))],
    ['order service', async (view) => serviceVerdict(await ordersOf(view))],
    ['creations', async (view) => creationsVerdict(await ordersOf(view), await view.creations())],
    ['answers', async (view) => answersVerdict(await ordersOf(view))],
    ['clock', checkClock],
    ['signatures', async () => signaturesVerdict(settingsIn(view).signatures)],
    ...(hasCertificates(view) ? [['certificates', checkCertificates] satisfies [string, Check]] : []),
    ['queues', checkQueues],
    ['dead letters', checkDeadLetters],
    ['alarms', checkAlarms],
    ['subscribers', checkSubscribers],
    ['release', checkRelease],
  ];
}

async function verdictOf(look: Check, view: StageView): Promise<Verdict | Verdict[]> {
  try {
    return await look(view);
  } catch (error) {
    if (error instanceof NotChecked) return { state: 'not checked', message: `Not checked: ${error.message}.` };
    return problem(problemOf(error as Error, place(view.options)));
  }
}
