import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import { type CheckedOrder, hasLeft } from './checked-order.ts';
import { currentSince } from './witness.ts';

/** The longest time between the check of a signature and its arrival at the service, in virtual milliseconds. */
const LONGEST_UPLOAD = 60_000;

/** Checks the signatures that the service has. It has itself checked each of them against the document. */
export function signatureProblems(checked: CheckedOrder, order: SimulatedOrder): string[] {
  const isWrong = checked.plan.signer === 'KMS' ? isOfAnotherKey : isOfAnotherVersion;
  const wrong = order.signatures.filter((signature) => isWrong(checked, signature));
  const asked = hasLeft(order, 'WAITING_FOR_SIGNATURE') ? order.generatedDocuments : [];
  const abandoned = abandonedRounds(order);
  const missing = asked.filter(({ signature, round }) => !signature && !abandoned.has(round));
  return [
    ...wrong.map(({ fileId }) => `a signature of ${fileId} arrived with wrong bytes`),
    ...missing.map(({ fileId }) => `the signature of ${fileId} did not arrive`),
  ];
}

/** The rounds that the service gave up because it went back. */
function abandonedRounds({ progress: { history } }: SimulatedOrder): Set<number> {
  const next = history.flatMap(({ status }, position) =>
    status === 'WAITING_FOR_SIGNATURE' ? [history[position + 1]] : [],
  );
  return new Set(next.flatMap((change, position) => (change?.isBack ? [position + 1] : [])));
}

type Signature = SimulatedOrder['signatures'][number];

function isOfAnotherKey({ kmsCertificate }: CheckedOrder, { file }: Signature): boolean {
  return !file.bytes?.includes(kmsCertificate);
}

/** Whether the partner had replaced the signature by another when it was sent, or never uploaded it. */
function isOfAnotherVersion({ acts, calls }: CheckedOrder, { fileId, file }: Signature): boolean {
  const versions = acts.signatures.get(fileId) ?? [];
  const sent = calls.filter(
    ({ requestBody }) => requestBody?.kind === 'multipart' && requestBody.files[0]?.sha256 === file.sha256,
  );
  return !sent.some(({ at }) => currentSince(versions, at - LONGEST_UPLOAD).includes(file.sha256));
}
