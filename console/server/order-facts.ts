import { fileOf, namedFact, withNames } from '../../commands/show/file-names.ts';
import { pauseFacts } from '../../commands/show/pause.ts';
import { situationOf } from '../../commands/show/situation.ts';
import { report } from '../../commands/show.ts';
import { creationOf, isCorrectable } from '../../commands/stage/creation.ts';
import type { Execution } from '../../commands/stage/executions.ts';
import { OPERATION_PREFIX, type OrderDetails, type TimelineEntry } from '../../commands/stage/record.ts';
import { factsOf } from '../../core/order/what-happened.ts';
import type { ExecutionFacts, OperationFacts, OrderFacts, TimelineFacts } from '../api.ts';
import type { Desk } from './desk.ts';

/** How many executions before the present one are looked for. */
const EARLIER = 9;

/**
 * Everything that the console shows of an order.
 * @throws Refusal when there is no such order.
 */
export async function orderFacts(desk: Desk, orderRef: string): Promise<OrderFacts> {
  const { record, pauses } = desk.connection;
  const details = await record.details(orderRef);
  const [executions, pause] = await Promise.all([executionsOf(desk, details), pauses.find()]);
  const { order, toSign } = details;
  const {
    timeline: _timeline,
    operations: _operations,
    executions: _executions,
    ...told
  } = report(details, executions);
  const creation = creationOf(details);
  const signed = signedFiles(details);
  return {
    ...told,
    ...pauseFacts(order, pause),
    ...(order.failure && { failure: { ...order.failure, cause: withNames(details, order.failure.cause) } }),
    situation: situationOf(details, executions),
    canResolve: creation !== undefined && (isCorrectable(creation, order) || creation.knowledge.state === 'open'),
    choose: order.choose,
    signing: order.signing,
    none: details.decision?.none ?? false,
    decisions: order.decision.version,
    package: order.documents.map(({ file, size, contentType, docType, entityId }) => ({
      file,
      size,
      contentType,
      docType,
      entityId,
    })),
    signaturesRound: order.signaturesRound?.number ?? 0,
    toSign: toSign.map(({ fileId, name, round, size, contentType, sha256, changedAt }) => ({
      fileId,
      ...(name !== undefined && { name }),
      round,
      size,
      contentType,
      sha256,
      isChanged: changedAt !== undefined,
      hasSignature: signed.has(fileId),
    })),
    operations: details.operations.map((operation) => operationFacts(details, operation)),
    timeline: details.timeline.map((entry) => timelineFacts(details, entry)),
    executions: executions.map((execution) => executionFacts(desk, execution)),
  };
}

/** The documents of the present round of which a signature arrived since the order began to wait. */
function signedFiles({ order, timeline }: OrderDetails): Set<string | undefined> {
  const { number, fileIds = [] } = order.signaturesRound ?? {};
  const begun = timeline.findLastIndex(({ what, round }) => what === 'Waits for signatures' && round === number);
  const arrived = timeline.slice(begun + 1).filter(({ what }) => what === 'A signature arrived');
  return new Set(begun < 0 ? [] : arrived.map(({ document }) => fileIds[Number(document) - 1]));
}

/** The order's executions, oldest first, as far back as they are looked for. */
export async function executionsOf({ connection }: Desk, { order }: OrderDetails): Promise<Execution[]> {
  const { orderRef, generation } = order;
  const first = Math.max(1, generation - EARLIER);
  const found = await connection.executions.since(orderRef, first);
  // Step Functions forgets an execution 90 days after its end, and the search ends where two are missing.
  return found.length > 0 || first === generation ? found : connection.executions.since(orderRef, generation);
}

function operationFacts(details: OrderDetails, operation: OrderDetails['operations'][number]): OperationFacts {
  const { item, knowledge, attempts, intendedAt, endedAt, failure } = operation;
  const name = item.slice(OPERATION_PREFIX.length);
  const file = fileOf(details, name);
  return {
    name: file === undefined ? name : name.split('#', 2).join('#'),
    ...(file !== undefined && { file }),
    state: knowledge.state,
    attempts,
    intendedAt,
    ...(endedAt !== undefined && { endedAt }),
    ...(failure !== undefined && { failure: withNames(details, failure) }),
  };
}

function timelineFacts(details: OrderDetails, entry: TimelineEntry): TimelineFacts {
  const { item, at, what } = entry;
  return { item, at, what, facts: factsOf(entry).map((fact) => namedFact(details, what, fact)) };
}

function executionFacts({ place }: Desk, { name, arn, status, startedAt, endedAt }: Execution): ExecutionFacts {
  const [, , , region = ''] = arn.split(':');
  const page = `https://${region}.console.aws.amazon.com/states/home?region=${region}#/v2/executions/details/${arn}`;
  return {
    name,
    status,
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    ...(!place.local && { address: page }),
  };
}
