import type { AwsFault } from '../plan/order-plan.ts';
import { plainPlan } from '../plan/plan.ts';
import type { Mutation } from './mutation.ts';

const faultOfKms = (kind: AwsFault['kind'], times: number) =>
  plainPlan(`key-${kind}`, {
    signer: 'KMS',
    awsFaults: [{ service: 'KMS', kind, position: 1, times, after: false }],
  });

export const signingMutations: readonly Mutation[] = [
  {
    name: 'a KMS key that is only throttled counts as unusable',
    changes: [
      {
        file: 'functions/sign-documents/signing-key.ts',
        text: "if (fault.$fault !== 'client' || isThrottlingError(fault) || isTransientError(fault)) throw error;",
        instead: "if (fault.$fault !== 'client') throw error;",
      },
    ],
    // The SDK makes two attempts.
    plans: () => [faultOfKms('throttled', 2), faultOfKms('refused', 1)],
  },
];
