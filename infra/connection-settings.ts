import { z } from 'zod';
import { caBundle } from './signing-settings.ts';

const SECRET_ARN = /^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[A-Za-z0-9/_+=.@-]+-[A-Za-z0-9]{6}$/;

const WRONG = {
  error: 'must be true, or the whole ARN of a secret, with the six characters that AWS adds to its name',
};

/** How the functions connect to a service and to its authorization service (the specification shows neither). */
export const connectionSettings = {
  caBundle: caBundle
    .optional()
    .describe(
      'Authorities of the certificates of the service and its authorization service, beside those that Node trusts: PEM text, or the path of a PEM file from the root of the project.',
    ),
  clientCertificate: z
    .union([z.literal(true), z.string().regex(SECRET_ARN, WRONG)], WRONG)
    .optional()
    .describe(
      'The secret with the client certificate that both services ask for (mutual TLS): `true` for one that the stack creates, or the ARN of yours.',
    ),
};

export interface ConnectionSettings {
  caBundle?: string | undefined;
  clientCertificate?: string | true | undefined;
}
