import type { X509Certificate } from 'node:crypto';
import { readCertificates } from '../cms/certificate-path.ts';
import { environment, environmentNumber } from '../environment.ts';

/** What the stage says of signatures. */
export interface SignatureSettings {
  gate: 'off' | 'check' | 'strict';
  largestBytes: number;
  /** Who may have issued signers' certificates; anybody where there is none. */
  authorities: X509Certificate[];
}

let settings: SignatureSettings | undefined;

/** Made from the environment on first use; one per Lambda environment. */
export function signatureSettings(): SignatureSettings {
  settings ??= {
    gate: environment('SIGNATURE_GATE') as SignatureSettings['gate'],
    largestBytes: environmentNumber('LARGEST_SIGNATURE_BYTES'),
    // By its name and not through `environment()`: a bundle of certificates is larger than a function's environment may be, and is
    // put in this place when the function is bundled (infra/constructs/bundled-function.ts).
    authorities: readCertificates(process.env.SIGNATURE_AUTHORITIES ?? ''),
  };
  return settings;
}
