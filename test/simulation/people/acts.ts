import type { Choice } from '../../../core/order/choices.ts';
import type { SignatureVersion } from '../checks/witness.ts';

/** What the partner did for one order. The checks compare it with what the service has. */
export interface PartnerActs {
  /** Every uploaded signature by `fileId`, oldest first. */
  signatures: Map<string, SignatureVersion[]>;
  /** The choices of all decisions. */
  chosen: Choice[];
  /** The choices of the last decision. */
  chosenLast: Choice[];
  decided: boolean;
  /** The versions of every uploaded `decision.json`. */
  decisions: string[];
}
