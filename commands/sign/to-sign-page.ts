import type { ToSign } from '../../core/order/to-sign.ts';
import type { Buckets } from '../shared/buckets.ts';
import { Refusal } from '../shared/text.ts';
import type { StatusPage } from '../submit/intake-answer.ts';

/** A document of `to-sign.json`; `signature` is the S3 address for its signature. */
export type DocumentToSign = ToSign & { signature: string };

/** `to-sign.json`. */
export interface ToSignPage {
  orderRef: string;
  round: number;
  documents: DocumentToSign[];
}

/**
 * The documents that the order needs signed now.
 * @throws Refusal when there are none.
 */
export async function readToSignPage(buckets: Buckets, orderRef: string): Promise<ToSignPage> {
  const status = await buckets.staged<StatusPage>(orderRef, 'status.json');
  if (!status) {
    throw new Refusal(
      `There is no order ${orderRef} in staging: there is nothing to sign. Check the orderRef and the stage.`,
    );
  }
  if (status.status !== 'WAITING_FOR_SIGNATURE') {
    throw new Refusal(`Order ${orderRef} is ${status.status}: there is nothing to sign.`);
  }
  const page = await buckets.staged<ToSignPage>(orderRef, 'to-sign.json');
  // While the order waits for the service, its documents are still being staged: the page may be from an earlier round.
  if (status.waitingFor !== 'service' && page) return page;
  throw new Refusal(
    `Order ${orderRef} has nothing to sign at the moment: its documents are still being staged. Repeat this in a minute.`,
  );
}

export function signatureKeyOf({ signature }: DocumentToSign, buckets: Buckets): string {
  const address = `s3://${buckets.intake}/`;
  if (signature.startsWith(address)) return signature.slice(address.length);
  throw new Refusal(
    `to-sign.json puts a signature at ${signature}, which is not in the intake bucket of this stage: nothing was uploaded. Check --stage.`,
  );
}
