import type { Options } from './options.ts';

/** Where an order service is, and how it is asked for a token. */
export interface Service {
  /** `{base_url}` of the order API. */
  url: string;
  /** The whole address of the token endpoint. */
  tokenUrl: string;
  /** What the credentials secret holds. */
  credentials: { client_id: string; client_secret: string; scope?: string };
}

/** Milliseconds that an address may take to answer at all. */
const PATIENCE = 10_000;

/** Host names of this machine, whose services may be plain HTTP. */
const THIS_MACHINE = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * The order service that the options name, with the credentials of the environment.
 * @throws Error with one sentence when an address can't be used or does not answer, or credentials are missing.
 */
export async function namedService(name: string, options: Options, environment: NodeJS.ProcessEnv): Promise<Service> {
  const url = readAddress('--service', name);
  const authorization =
    options.authorization === undefined ? url : readAddress('--authorization', options.authorization);
  const { tokenPath = '/oauth2/token' } = options;
  if (!/^\/[^?#]*$/.test(tokenPath)) throw new Error('--token-path must begin with / and have no ? and no #.');
  const credentials = takeCredentials(environment);
  await requireAnswer('The order service', '--service', url);
  await requireAnswer('The authorization service', '--authorization', authorization);
  return { url, tokenUrl: `${authorization}${tokenPath}`, credentials };
}

/** The secret travels to this address, and the orders: in the open only within this machine. Without a `/` at its end. */
function readAddress(option: string, text: string): string {
  const address = URL.parse(text);
  if (!address || !/^https?:$/.test(address.protocol)) {
    throw new Error(`${option} must be an address that begins with https://.`);
  }
  if (address.username !== '' || address.password !== '' || address.search !== '' || address.hash !== '') {
    throw new Error(`${option} must be an address without a user, a ? and a #.`);
  }
  if (address.protocol === 'http:' && !THIS_MACHINE.test(address.hostname)) {
    throw new Error(`${option} must begin with https://: the credentials and the orders travel there.`);
  }
  return address.href.replace(/\/+$/, '');
}

/** Processes that are started from here on do not see the secret. */
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

/** Whatever it answers, there is somebody. */
async function requireAnswer(what: string, option: string, url: string): Promise<void> {
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE) });
    await answer.body?.cancel();
  } catch (error) {
    const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    const late = name === 'TimeoutError' && `nothing came within ${PATIENCE / 1000} seconds`;
    const reason = late || (cause?.code ?? cause?.message ?? name);
    throw new Error(`${what} at ${url} does not answer (${reason}): check ${option} and the network.`);
  }
}
