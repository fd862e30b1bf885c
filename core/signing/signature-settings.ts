import type { X509Certificate } from 'node:crypto';
import { readCertificates } from '@business-loan-orders/detached-signatures/certificate-path';
import { gateSettings, stackSettings } from '../settings.ts';

/** The stage's settings for signatures. */
export interface SignatureSettings {
  gate: 'off' | 'check' | 'strict';
  /** The largest signature, in bytes. */
  largestBytes: number;
  /** The authorities that may issue signers' certificates. If the list is empty, any authority may. */
  authorities: X509Certificate[];
}

let settings: SignatureSettings | undefined;

/** Reads the settings from the environment on first use, once per Lambda environment. */
export function signatureSettings(): SignatureSettings {
  settings ??= {
    gate: gateSettings.level as SignatureSettings['gate'],
    largestBytes: gateSettings.largestSignatureBytes,
    authorities: readCertificates(stackSettings.signatureAuthorities ?? ''),
  };
  return settings;
}
