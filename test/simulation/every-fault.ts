import type { BatchOptions, BatchResult } from './batch.ts';
import { nameOf } from './faults/broken-answers.ts';
import { oddAnswers } from './faults/odd-answers.ts';
import {
  type AwsFault,
  callWeights,
  isOfReads,
  kindWeights,
  type OddKind,
  type OrderPlan,
  plainPlan,
  type ServiceCall,
  type ServiceFault,
  type ServiceFaultKind,
} from './plan/order-plan.ts';
import { archived, helpless, oddOrder, oddPolls, waysToAct } from './plan/plan-faults.ts';
import { runInProcess } from './simulate.ts';

const serviceCalls = Object.keys(callWeights) as ServiceCall[];
const serviceFaultKinds = Object.keys(kindWeights) as ServiceFaultKind[];

/** Every fault of the service, before and after its work. A fault that takes real time (a timeout) strikes few calls. */
const faults = serviceFaultKinds.flatMap((kind) => [false, true].map((after) => ({ kind, after })));
const takesTime = ({ kind, after }: Pick<ServiceFault, 'kind' | 'after'>) =>
  kind === 'timeout' || (kind === 'slow body' && after);
const FEW = ['accept', 'confirm'];

/** As many orders as there are faults. Each meets one at each call, and another at each: so each call meets all of them. */
const ordersWithServiceFaults: readonly OrderPlan[] = faults.map((_fault, order) =>
  plainPlan(`service-fault-${order}`, {
    choose: order % 2 === 0 ? 'manual' : 'rule',
    serviceFaults: serviceCalls.flatMap((call, at): ServiceFault[] => {
      const fault = faults[(order + 4 * at) % faults.length] as (typeof faults)[number];
      if (takesTime(fault) && !FEW.includes(call)) return [];
      if (isOfReads(fault.kind) && call !== 'read') return [];
      return [{ ...fault, call, occurrence: call === 'read' ? 3 : 1, times: 1 }];
    }),
  }),
);

const kinds = (['throttled', 'failed', 'reset'] as const).flatMap((kind) =>
  [false, true].map((after) => ({ kind, after })),
);
const refused = { kind: 'refused', after: false } as const;
const DYNAMODB_REQUESTS = 75;
const ORDERS = 30;

/** The faults strike at another request of each order, from the first to the last, for longer than the SDK tries. */
const ordersWithAwsFaults: readonly OrderPlan[] = Array.from({ length: ORDERS }, (_order, order) => {
  const fault = (service: AwsFault['service'], position: number, times = 3): AwsFault => {
    const all = service === 'KMS' || service === 'EventBridge' ? [...kinds, refused] : kinds;
    const at = all[(order + service.length) % all.length] as (typeof all)[number];
    return { service, ...at, position, times };
  };
  return plainPlan(`aws-fault-${order}`, {
    signer: order % 2 === 0 ? 'KMS' : 'partner',
    awsFaults: [
      fault('DynamoDB', 1 + Math.floor((order * DYNAMODB_REQUESTS) / ORDERS)),
      fault('S3', 1 + (order % 14)),
      fault('Secrets Manager', 1),
      fault('Step Functions', 1),
      fault('KMS', 1, 2),
      // Every order sends so many events, so each kind is sure to strike several of them.
      fault('EventBridge', 1 + (order % 5)),
    ],
  });
});

const stopped = ['create-order', 'read-order', 'upload-document', 'accept-order', 'upload-signature', 'confirm-offer'];

/** An operator acts in every way while a function makes its first, second, … request, or has just made it. */
const ordersWithActs: readonly OrderPlan[] = waysToAct.flatMap((acts, way) =>
  stopped.map((functionName, at) => {
    const request = 1 + ((way + at) % 6);
    const interruption = { functionName, request, after: (way + at) % 2 === 0, seconds: 2, acts };
    return plainPlan(`acts-${way}-${functionName}`, { interruptions: [interruption] });
  }),
);

/** Each odd answer to each call that it is an answer to. Nobody helps, but against a wait for years. */
const ordersWithOddAnswers: readonly OrderPlan[] = [
  ...Object.entries(oddAnswers).flatMap(([kind, { calls }]) => calls.map((call) => oddOrder(kind as OddKind, call))),
  ...oddPolls.map((poll, at) => helpless(`poll-${at}`, { polls: [{ occurrence: 3, ...poll }] })),
  helpless('years', { polls: [{ occurrence: 3, seconds: 1e9 }] }),
  archived,
];
/** Tokens are for all orders, and the sweeps of the simulation are rare. */
const [ofTokens, ofOrders] = [true, false].map((isOfToken) =>
  ordersWithOddAnswers.filter(({ orderRef }) => orderRef.includes('token') === isOfToken),
) as [OrderPlan[], OrderPlan[]];

/** The kinds of fault that an order meets, as the simulation counts them. Only an order that KMS signs for meets those of KMS. */
const kindsOf = ({ serviceFaults, awsFaults, signer }: OrderPlan): string[] => [
  ...serviceFaults.map(nameOf),
  ...awsFaults
    .filter(({ service }) => service !== 'KMS' || signer === 'KMS')
    .map(({ service, kind, after }) => `AWS: ${service} ${kind}, ${after ? 'after' : 'before'} it was done`),
];

export const someOrders: readonly OrderPlan[] = [...ordersWithServiceFaults, ...ordersWithAwsFaults].filter(
  (_order, at) => at % 30 === 0,
);

/** Drives orders through every fault of every call, in five processes. Returns the number of problems, and prints them. */
export async function tryEveryFault(assemblyDirectory: string): Promise<number> {
  const groups = [ordersWithServiceFaults, ordersWithAwsFaults, ordersWithActs, ofTokens, ofOrders];
  const problems = await Promise.all(groups.map((plans) => problemsWith(plans, assemblyDirectory, runInProcess)));
  for (const problem of problems.flat()) console.log(`  ${problem}`);
  console.log(`every fault at every call: ${problems.flat().length} problems`);
  return problems.flat().length;
}

export async function problemsWith(
  plans: readonly OrderPlan[],
  assemblyDirectory: string,
  run: (options: BatchOptions) => Promise<BatchResult>,
): Promise<string[]> {
  const result = await run({ plans, assemblyDirectory });
  const { violations, outcomes, injected, operated } = result;
  const missing = new Set(plans.flatMap(kindsOf).filter((kind) => !injected[kind]));
  const ended = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  return [
    ...violations.map(({ orderRef, what }) => `${orderRef}: ${what}`),
    ...[...missing].map((kind) => `no order met the fault ${kind}`),
    ...Object.keys(operated).filter(isNeedless),
    ...(ended === plans.length ? [] : [`${ended} of ${plans.length} orders have an outcome`]),
  ];
}

/** A fault of Secrets Manager ends every token: a call that meets that twice in a row goes to an operator, and so does a refusal. */
function isNeedless(what: string): boolean {
  return (
    /^(retried|redriven|started by hand) after/.test(what) &&
    !/OutcomeUnknown|SigningKeyUnusable|Unauthorized|Rejected|ABORTED/.test(what)
  );
}
