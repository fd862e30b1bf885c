import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Throttled } from '../../../../core/errors.ts';
import { identifyingHeaders } from '../../../../core/service/identifying-headers.ts';
import { callWithPatience, retryAfterSeconds } from '../../../../core/service/retry-after.ts';
import { fleetToken, openToken, type SharedToken } from '../../../../core/service/token-renewal.ts';
import { type AccessToken, lifetime } from '../../../../core/service/token-request.ts';
import { failure } from '../../../helpers/order-service-client.ts';

function fleet(lifetimeSeconds = 3600) {
  const item: { sealed?: string; owner?: string; until?: number; notBefore?: number; pausedUntil?: number } = {};
  const free = { owner: undefined, until: undefined, notBefore: undefined };
  const shared: SharedToken = {
    read: async () => ({ ...item }),
    lock: async (owner, until, now) => {
      if (item.until !== undefined && item.until >= now) return false;
      if (item.notBefore !== undefined && item.notBefore > now) return false;
      Object.assign(item, { owner, until });
      return true;
    },
    write: async (owner, sealed) =>
      void (item.owner === owner && Object.assign(item, { ...free, pausedUntil: undefined, sealed })),
    pause: async (seen, pausedUntil) => void (item.sealed === seen && Object.assign(item, { pausedUntil })),
    unlock: async (owner, notBefore) => void (item.owner === owner && Object.assign(item, { ...free, notBefore })),
  };
  let issued = 0;
  const requestToken = vi.fn(async (): Promise<AccessToken> => {
    await new Promise(setImmediate);
    issued += 1;
    return { value: `token-${issued}`, issuedAt: Date.now(), expiresAt: Date.now() + lifetimeSeconds * 1000 };
  });
  const readCredentials = async () => ({ client_id: 'partner', client_secret: 'first' });
  const member = () => fleetToken({ readCredentials, requestToken, shared, lockDuration: 5_000 });
  return { member, requestToken, item };
}

test('the shared token is stored encrypted, and only the same credentials can decrypt it', async () => {
  const { member, item } = fleet();
  await member().token();
  expect(JSON.stringify(item)).not.toContain('token-1');
  expect(openToken(item.sealed as string, { client_id: 'partner', client_secret: 'first' })?.value).toBe('token-1');
  expect(openToken(item.sealed as string, { client_id: 'partner', client_secret: 'other' })).toBeUndefined();
});

describe('when the token endpoint asks us to wait', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  const later = () => new Throttled('Too many.', { call: { httpStatus: 429, retryAfterSeconds: 3_600 } });

  test('no function requests a token before that time, and each one learns how long to wait', async () => {
    const { member, requestToken } = fleet();
    requestToken.mockRejectedValueOnce(later());
    await expect(member().token()).rejects.toMatchObject({ name: 'Throttled', call: { retryAfterSeconds: 3_600 } });
    // Two seconds more, because the clocks of machines differ.
    vi.setSystemTime(Date.now() + 3_002_000);
    await expect(member().token()).rejects.toMatchObject({ name: 'Throttled', call: { retryAfterSeconds: 600 } });
    vi.setSystemTime(Date.now() + 599_999);
    await expect(member().token()).rejects.toMatchObject({ call: { retryAfterSeconds: 1 } });
    expect(requestToken).toHaveBeenCalledTimes(1);
    vi.setSystemTime(Date.now() + 1);
    expect(await member().token()).toBe('token-1');
    expect(requestToken).toHaveBeenCalledTimes(2);
  });

  test('a token in the last tenth of its life is still used', async () => {
    const { member, requestToken } = fleet(600);
    const one = member();
    await one.token();
    vi.setSystemTime(Date.now() + 590_000);
    requestToken.mockRejectedValueOnce(later());
    expect(await one.token()).toBe('token-1');
    expect(await one.token()).toBe('token-1');
    expect(await member().token()).toBe('token-1');
    expect(requestToken).toHaveBeenCalledTimes(2);
  });

  test('a refused token is not replaced before that time', async () => {
    const { member, requestToken } = fleet();
    const one = member();
    await one.token();
    requestToken.mockRejectedValueOnce(later());
    await expect(one.replace('token-1', 401)).rejects.toThrow('Too many.');
    await expect(one.replace('token-1', 401)).rejects.toMatchObject({ call: { retryAfterSeconds: 3_602 } });
    expect(requestToken).toHaveBeenCalledTimes(2);
  });
});

test('a replacement that is refused at once is not replaced by anybody for a minute; one that has worked is', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { member, requestToken } = fleet();
  const [one, other] = [member(), member()];
  await one.token();
  expect(await one.replace('token-1', 401)).toBe('token-2');
  vi.setSystemTime(Date.now() + 61_000);
  expect(await one.replace('token-2', 401)).toBe('token-3');
  expect(await one.replace('token-3', 403)).toBe('token-3');
  expect(await other.token()).toBe('token-3');
  expect(await one.replace('token-3', 401)).toBeUndefined();
  const refused = { name: 'ServiceUnavailable', message: expect.stringContaining('refused a new one (401)') };
  await expect(other.replace('token-3', 401)).rejects.toMatchObject(refused);
  await expect(member().token()).rejects.toMatchObject(refused);
  expect(requestToken).toHaveBeenCalledTimes(3);
  vi.setSystemTime(Date.now() + 60_000);
  expect(await member().token()).toBe('token-3');
  expect(await one.replace('token-3', 401)).toBe('token-4');
  expect(await one.replace('token-4', 401)).toBeUndefined();
  const brief = fleet(10).member();
  expect(await brief.replace(await brief.token(), 401)).toBe('token-2');
  vi.setSystemTime(Date.now() + 5_000);
  expect(await brief.replace('token-2', 401), 'half its life is over').toBe('token-3');
  vi.useRealTimers();
});

test('expires_in may be a number or a string of the unit; anything else lasts as long as the stage says', () => {
  const lasts = (expiresIn: unknown, expiresInUnit: 'seconds' | 'milliseconds' = 'seconds') =>
    lifetime(expiresIn, { expiresInUnit, defaultLifetimeSeconds: 60 });
  expect([lasts(3600), lasts('3600'), lasts(3_600_000, 'milliseconds'), lasts(0.5)]).toEqual([
    3_600_000, 3_600_000, 3_600_000, 500,
  ]);
  for (const other of [0, -5, undefined, null, 'soon', '']) expect(lasts(other), String(other)).toBe(60_000);
});

const REQUEST = '0f8fad5b-d9cb-469f-a165-70867728950e';
const headers = () => identifyingHeaders('abc')({ requestId: REQUEST });

beforeEach(() => void vi.stubEnv('_X_AMZN_TRACE_ID', undefined));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const root = 'Root=1-5759e988-bd862e3fe1be46a994272793';

test.each([
  [`${root};Parent=557abcec3ee5a047;Sampled=1`, /^00-5759e988bd862e3fe1be46a994272793-557abcec3ee5a047-01$/],
  [`${root};Parent=557abcec3ee5a047;Sampled=0;Lineage=a:1`, /-557abcec3ee5a047-00$/],
  [root, /^00-5759e988bd862e3fe1be46a994272793-[0-9a-f]{16}-00$/],
  ['Root=1-5759e988-bd86;Parent=no', /^00-0f8fad5bd9cb469fa16570867728950e-[0-9a-f]{16}-00$/],
  [undefined, /^00-0f8fad5bd9cb469fa16570867728950e-[0-9a-f]{16}-00$/],
])('traceparent in the trace %j is %s', (trace, expected) => {
  vi.stubEnv('_X_AMZN_TRACE_ID', trace);
  expect(headers().traceparent).toMatch(expected);
});

test("the trace of Lambda's invoke store comes before that of the environment", () => {
  vi.stubEnv('_X_AMZN_TRACE_ID', `${root};Parent=557abcec3ee5a047;Sampled=1`);
  const getXRayTraceId = () => 'Root=1-67891233-abcdef012345678912345678;Parent=463ac35c9f6413ad;Sampled=1';
  vi.stubGlobal('awslambda', { InvokeStore: { getXRayTraceId } });
  expect(headers().traceparent).toBe('00-67891233abcdef012345678912345678-463ac35c9f6413ad-01');
});

test('a refusal with Retry-After that cannot be recorded fails the step as refused, and is not postponed', async () => {
  const refusal = new Throttled('Order order-1: asked to back off.', { call: { retryAfterSeconds: 60 } });
  const patience = {
    subject: 'Order order-1',
    service: 'The order service',
    throttledUntil: undefined,
    record: () => Promise.reject(new Error('The table is not there.')),
    isPostponable: () => true,
  };
  expect(await failure(callWithPatience(patience, () => Promise.reject(refusal)))).toBe(refusal);
});

const CLOCK_OF_TOMORROW = 'Sat, 07 Nov 2099 08:49:37 GMT';
test.each([
  ['7', 7],
  ['1.5', 2],
  ['60000', 60_000],
  ['1793000000', undefined],
  ['-5', undefined],
  ['5s', undefined],
  ['', undefined],
  ['later', undefined],
  ['Sat, 07 Nov 2099 08:50:37 GMT', 60],
  ['Saturday, 07-Nov-99 08:50:37 GMT', 0],
  ['Sat Nov  7 08:50:37 2099', 60],
  ['2099-11-07T08:50:37Z', 60],
  ['Fri, 06 Nov 2099 08:49:37 GMT', 0],
])('Retry-After %j is read as %j seconds, and a date counts from the Date of the answer', (header, seconds) => {
  expect(retryAfterSeconds(header, CLOCK_OF_TOMORROW)).toBe(seconds);
});

test('a date counts from now in an answer without a usable Date', () => {
  const inAMinute = new Date(Date.now() + 60_000).toUTCString();
  for (const sentAt of [undefined, 'yesterday']) {
    const seconds = retryAfterSeconds(inAMinute, sentAt);
    expect(seconds).toBeGreaterThan(57);
    expect(seconds).toBeLessThanOrEqual(60);
  }
});
