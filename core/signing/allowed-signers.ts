import type { Verdict } from '@business-loan-orders/detached-signatures/signature-gate';
import { isNamed } from '@business-loan-orders/detached-signatures/signer-name';

/** Refuses the signature of somebody whom the stage does not name. */
export function allowed(verdict: Verdict, signers: readonly string[]): Verdict {
  if (!verdict.passed || signers.length === 0 || verdict.signers.every((signer) => isNamed(signer, signers)))
    return verdict;
  const problem = "The stage's setting signing.signers does not name the signer. Let somebody sign whom it names.";
  return { passed: false, problem };
}
