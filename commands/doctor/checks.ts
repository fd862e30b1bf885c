import type { Stage } from '../../infra/stages.ts';
import { problemOf } from '../shared/failure.ts';
import { type PlaceOptions, place } from '../shared/place.ts';
import { checkAlarms, checkSubscribers } from './alarm-checks.ts';
import { checkCertificates, hasCertificates } from './certificate-checks.ts';
import { type Finding, NotChecked, ok, problem, type Verdict } from './finding.ts';
import { checkAdoptedTable, checkGivenBuckets } from './given-checks.ts';
import {
  answersVerdict,
  creationsVerdict,
  ordersOf,
  ordersVerdict,
  serviceVerdict,
  tokenVerdict,
} from './order-checks.ts';
import {
  checkAwsCredentials,
  checkClock,
  checkOutputs,
  checkPlace,
  checkRelease,
  checkStack,
  checkUpdate,
  signaturesVerdict,
} from './stack-checks.ts';
import {
  checkCallsAtOnce,
  checkClientCertificate,
  checkDeadLetters,
  checkNoneRuns,
  checkQueues,
  checkSecret,
} from './stage-checks.ts';
import { lookAt, output, recordOf, type StageView, settingsIn } from './stage-view.ts';
import { waitsVerdict } from './wait-checks.ts';

const RELIST = 'Orders that ended in an older release are in no list: run "loan-orders relist".';

type Check = (view: StageView) => Promise<Verdict | Verdict[]>;

export async function findingsOn(
  options: PlaceOptions,
  stage: Stage | undefined,
  isEmptied: boolean,
): Promise<Finding[]> {
  const view = await lookAt(options, stage);
  const findings: Finding[] = [];
  for (const [check, look] of checksOf(view, isEmptied)) {
    for (const verdict of [await verdictOf(look, view)].flat()) findings.push({ check, ...verdict });
  }
  return findings;
}

/** The order matters: later checks use the results of earlier ones. */
function checksOf(view: StageView, isEmptied: boolean): [name: string, check: Check][] {
  const { settings } = view;
  const all: ([name: string, check: Check] | false | undefined)[] = [
    ['credentials', checkAwsCredentials],
    ['account, region', checkPlace],
    ['stack', checkStack],
    ['outputs', checkOutputs],
    ['secret', checkSecret],
    settings?.hasClientCertificate && ['client certificate', checkClientCertificate],
    settings?.callsAtOnce !== undefined && ['calls at once', checkCallsAtOnce],
    Object.keys(settings?.givenBuckets ?? {}).length > 0 && ['buckets', checkGivenBuckets],
    settings?.adoptedTable && ['table', checkAdoptedTable],
    ['orders', async (view) => ordersVerdict(output(view, 'OrderTable'), await view.orders())],
    ['lists', async (view) => ((await (await recordOf(view)).lacksOrders()) ? problem(RELIST) : ok('Complete.'))],
    ['token', async (view) => tokenVerdict(await ordersOf(view))],
    ['order service', async (view) => serviceVerdict(await ordersOf(view))],
    ['creations', async (view) => creationsVerdict(await ordersOf(view), await view.creations())],
    ['waits', async (view) => waitsVerdict(await view.waits(await ordersOf(view)), view.settings?.longWaitSeconds)],
    ['answers', async (view) => answersVerdict(await ordersOf(view))],
    ['clock', checkClock],
    ['signatures', async () => signaturesVerdict(settingsIn(view).signatures)],
    hasCertificates(view) && ['certificates', checkCertificates],
    ['queues', checkQueues],
    ['dead letters', checkDeadLetters],
    ['alarms', checkAlarms],
    ['subscribers', checkSubscribers],
    ['release', checkRelease],
    ['update', checkUpdate],
    isEmptied && ['executions', checkNoneRuns],
  ];
  return all.filter((check) => !!check);
}

async function verdictOf(look: Check, view: StageView): Promise<Verdict | Verdict[]> {
  try {
    return await look(view);
  } catch (error) {
    if (error instanceof NotChecked) return { state: 'not checked', message: `Not checked: ${error.message}.` };
    return problem(problemOf(error as Error, place(view.options)));
  }
}
