import { z } from 'zod';
import { caBundle } from './signing-settings.ts';

const SECRET_ARN = /^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[A-Za-z0-9/_+=.@-]+-[A-Za-z0-9]{6}$/;

const WRONG = {
  error: 'must be true, or the whole ARN of a secret, with the six characters that AWS adds to its name',
};

/** How the functions connect to a service and to its authorization service (the specification shows neither). */
export const connectionSettings = {
  /** Authorities of the services' certificates, beside those that Node trusts. */
  caBundle: caBundle.optional(),
  /** The client certificate (mutual TLS) is in a secret: one that the stack creates, or an existing one. */
  clientCertificate: z.union([z.literal(true), z.string().regex(SECRET_ARN, WRONG)], WRONG).optional(),
};

export interface ConnectionSettings {
  caBundle?: string | undefined;
  clientCertificate?: string | true | undefined;
}
