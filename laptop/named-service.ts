import type { Options } from './options.ts';

export interface Service {
  /** `{base_url}` of the order API. */
  url: string;
  /** The complete address of the token endpoint. */
  tokenUrl: string;
  credentials: { client_id: string; client_secret: string; scope?: string };
}

/** How long an address may take to answer. Milliseconds. */
const PATIENCE = 10_000;

const THIS_MACHINE = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** @throws Error with one sentence when an address is wrong or does not answer, or credentials are missing. */
export async function namedService(
  name: string,
  options: Pick<Options, 'authorization' | 'tokenPath'>,
  environment: NodeJS.ProcessEnv,
): Promise<Service> {
  const url = readAddress('--service', name);
  if (url.endsWith('/v1')) throw new Error('--service must end before /v1, which each call adds.');
  const authorization =
    options.authorization === undefined ? url : readAddress('--authorization', options.authorization);
  const { tokenPath = '/oauth2/token' } = options;
  if (!/^\/[^?#]*$/.test(tokenPath)) throw new Error('--token-path must start with / and contain neither ? nor #.');
  const credentials = takeCredentials(environment);
  await requireAnswer('The order service', '--service', url);
  await requireAnswer('The authorization service', '--authorization', authorization);
  return { url, tokenUrl: `${authorization}${tokenPath}`, credentials };
}

/** Reads an address, without a `/` at its end. Plain HTTP is allowed only on this machine, because the secret and orders are sent there. */
function readAddress(option: string, text: string): string {
  const address = URL.parse(text);
  if (!address || !/^https?:$/.test(address.protocol)) {
    throw new Error(`${option} must be an address that starts with https://.`);
  }
  if (address.username !== '' || address.password !== '' || address.search !== '' || address.hash !== '') {
    throw new Error(`${option} must be an address without user name, ? and #.`);
  }
  if (address.protocol === 'http:' && !THIS_MACHINE.test(address.hostname)) {
    throw new Error(`${option} must start with https://, because credentials and orders are sent there.`);
  }
  return address.href.replace(/\/+$/, '');
}

/** Takes the credentials, and removes the secret from the environment: child processes must not see it. */
function takeCredentials(environment: NodeJS.ProcessEnv): Service['credentials'] {
  const { LOAN_ORDERS_CLIENT_ID, LOAN_ORDERS_CLIENT_SECRET, LOAN_ORDERS_SCOPE: scope } = environment;
  delete environment.LOAN_ORDERS_CLIENT_SECRET;
  if (!LOAN_ORDERS_CLIENT_ID || !LOAN_ORDERS_CLIENT_SECRET) {
    throw new Error(
      '--service needs the credentials that the order service gave you: set LOAN_ORDERS_CLIENT_ID and LOAN_ORDERS_CLIENT_SECRET.',
    );
  }
  return { client_id: LOAN_ORDERS_CLIENT_ID, client_secret: LOAN_ORDERS_CLIENT_SECRET, ...(scope && { scope }) };
}

async function requireAnswer(what: string, option: string, url: string): Promise<void> {
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE) });
    await answer.body?.cancel();
  } catch (error) {
    const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    const late = name === 'TimeoutError' && `no answer within ${PATIENCE / 1000} seconds`;
    const reason = late || (cause?.code ?? cause?.message ?? name);
    throw new Error(`${what} at ${url} does not answer (${reason}). Check ${option} and the network.`);
  }
}
