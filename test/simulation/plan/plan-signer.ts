import type { Dice } from './dice.ts';
import type { AwsFault, Kill, OrderPlan, Pause } from './order-plan.ts';

export type SignerPlan = Pick<OrderPlan, 'signer'> & { faults: AwsFault[]; kills: Kill[]; pauses: Pause[] };

/** Some orders are signed with KMS. Most of them meet faults of KMS, or their function is slow or killed while it signs. */
export function planSigner(dice: Dice): SignerPlan {
  if (!dice.chance(0.15)) return { signer: 'partner', faults: [], kills: [], pauses: [] };
  const interruption = () => ({
    functionName: 'sign-documents',
    request: dice.between(1, 12),
    after: dice.chance(0.5),
  });
  return {
    signer: 'KMS',
    faults: dice.chance(0.7) ? [kmsFault(dice)] : [],
    kills: dice.chance(0.05) ? [interruption()] : [],
    pauses: dice.chance(0.3) ? [{ ...interruption(), seconds: dice.between(1, 8) }] : [],
  };
}

/** A round of signing asks KMS for the public key, and then for one signature or for three. */
function kmsFault(dice: Dice): AwsFault {
  const kind = dice.pick(['throttled', 'failed', 'reset', 'refused'] as const);
  const after = kind !== 'refused' && dice.chance(0.4);
  return { service: 'KMS', kind, position: dice.between(1, 3), times: dice.between(1, 4), after };
}
