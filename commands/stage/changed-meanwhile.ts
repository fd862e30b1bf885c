import { Refusal } from '../refusal.ts';

/** Another command or an execution changed the order between the look and the write. Nothing was written. */
export function changedMeanwhile(orderRef: string): Refusal {
  return new Refusal(
    `Order ${orderRef} changed while this command looked at it. Look again with "loan-orders show ${orderRef}".`,
  );
}
