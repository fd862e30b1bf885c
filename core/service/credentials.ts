import { Unauthorized } from '../errors.ts';
import type { Credentials } from './token-request.ts';

/**
 * The credentials in a secret's value. Undefined stands for a secret without a value.
 * @throws Unauthorized if they are not complete. Its message says nothing of the value.
 */
export function credentialsIn(text: string | undefined): Credentials {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '');
  } catch {
    // Not the parser's error, because it quotes the secret.
    throw malformedSecret();
  }
  const { client_id, client_secret, scope } = (value ?? {}) as Record<string, unknown>;
  if (typeof client_id !== 'string' || typeof client_secret !== 'string' || !client_id || !client_secret)
    throw malformedSecret();
  return { client_id, client_secret, ...(typeof scope === 'string' && scope !== '' && { scope }) };
}

function malformedSecret(): Unauthorized {
  return new Unauthorized(
    "The credentials secret is not a JSON object with client_id and client_secret. Put the partner's credentials into it (docs/deployment.md, Credentials).",
  );
}
