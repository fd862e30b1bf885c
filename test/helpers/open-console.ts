import { afterAll, expect, vi } from 'vitest';
import { startConsole } from '../../console/server/console.ts';
import type { World } from './world.ts';

/** Serves the console of a world until the file's tests are over. `addresses` are those that it printed, oldest first. */
export async function serveConsole(world: World, lookEvery: number, accessKey?: string) {
  const addresses: string[] = [];
  const environment = { ...world.aws.environment, AWS_ACCESS_KEY_ID: accessKey };
  if (accessKey) for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  afterAll(() => void vi.unstubAllEnvs());
  const stage = { stage: 'local' } as const;
  const place = accessKey ? stage : ({ ...stage, local: true, endpoint: world.aws.endpoint } as const);
  const served = await startConsole({ place, port: 0, lookEvery, onAddress: (address) => addresses.push(address) });
  afterAll(() => served.close());
  return { served, addresses };
}

/** With an access key, the console has that person's rights alone, as on AWS. */
export async function openConsole(world: World, accessKey?: string) {
  const { served, addresses } = await serveConsole(world, 20, accessKey);
  const opened = await fetch(addresses[0] ?? '');
  const authorization = `Bearer ${keyIn(await opened.text())}`;
  const { origin } = new URL(served.url);
  const get = (path: string, more: Record<string, string> = {}) =>
    fetch(new URL(path, served.url), { headers: { authorization, ...more } });
  /** Sends a text or bytes as a file, a form as it is, and anything else as JSON. */
  const post = (path: string, body: unknown) => {
    const headers = { authorization, origin };
    if (body instanceof FormData) return fetch(new URL(path, served.url), { method: 'POST', headers, body });
    const isFile = typeof body === 'string' || body instanceof Uint8Array;
    const type = { 'content-type': `application/${isFile ? 'octet-stream' : 'json'}` };
    const sent = isFile ? Buffer.from(body) : JSON.stringify(body);
    return fetch(new URL(path, served.url), { method: 'POST', headers: { ...headers, ...type }, body: sent });
  };
  const read = async <Answer>(path: string) => (await (await get(path)).json()) as Answer;
  /** The status of an answer, and what it says. Without a body it is asked for with GET. */
  const ask = async <Answer>(path: string, body?: unknown) => {
    const response = await (body === undefined ? get(path) : post(path, body));
    return { status: response.status, ...((await response.json()) as Answer) };
  };
  return { served, addresses, authorization, get, post, read, ask };
}

export const keyIn = (page: string) => /<meta name="key" content="([\w-]{43})">/.exec(page)?.[1];

/** What `ask` gives for what was done, and for a refusal, with a sentence that contains the text. */
export const done = (text: string) => ({ status: 200, said: expect.stringContaining(text) });
export const refused = (text: string) => ({ status: 409, error: expect.stringContaining(text) });
