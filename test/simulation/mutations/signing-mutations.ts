import type { AwsFault, OrderPlan } from '../plan/order-plan.ts';
import { plainPlan } from '../plan/plain-plan.ts';
import type { Mutation } from './mutation.ts';

const faultOfKms = (kind: AwsFault['kind'], times: number) =>
  plainPlan(`key-${kind}`, {
    signer: 'KMS',
    awsFaults: [{ service: 'KMS', kind, position: 1, times, after: false }],
  });

const replacedDocument = (replacedDocumentAfter: number, signer: OrderPlan['signer']) =>
  plainPlan(`replaced-${replacedDocumentAfter}-${signer}`, { replacedDocumentAfter, signer });

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
  {
    name: 'a replaced document is not noticed',
    changes: [
      {
        file: 'functions/upload-signature/compare-document.ts',
        text: "if (hash.digest('hex') === sha256) return;",
        instead: "if (hash.digest('hex') !== '') return;",
      },
    ],
    plans: () => [replacedDocument(1, 'partner'), replacedDocument(1, 'KMS'), replacedDocument(2, 'partner')],
  },
];
