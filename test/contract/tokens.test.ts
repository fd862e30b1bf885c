import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkCalls } from '../helpers/contract.ts';
import { Partner } from '../helpers/partner.ts';

let partner: Partner;

beforeEach(async () => {
  partner = await Partner.start();
});

afterEach(async () => {
  const violations = checkCalls(partner.simulator.calls());
  await partner.simulator.close();
  expect(violations).toEqual([]);
});

const credentials = { grant_type: 'client_credentials', client_id: 'partner', client_secret: 'simulated-secret' };
const path = '/oauth2/token';

function basic(text: string) {
  return { authorization: `Basic ${Buffer.from(text).toString('base64')}` };
}

describe(`POST ${path}`, () => {
  test('returns a JWT with its lifetime, type and scope', async () => {
    const answer = await partner.requestToken({ ...credentials, scope: 'orders partner-7' }, path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      expires_in: 3600,
      token_type: 'Bearer',
      scope: 'orders partner-7',
    });
    const read = await partner.call('GET', '/v1/orders/unknown', { token: answer.body.access_token });
    expect(read.status).toBe(404);
  });

  test.each([
    ['no grant', { ...credentials, grant_type: '' }, 400, 'invalid_request'],
    ['another grant', { ...credentials, grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['another client', { ...credentials, client_id: 'other' }, 401, 'invalid_client'],
    ['a wrong secret', { ...credentials, client_secret: 'other' }, 401, 'invalid_client'],
    ['no credentials', { grant_type: 'client_credentials' }, 401, 'invalid_client'],
  ])('refuses %s', async (_name, fields, status, error) => {
    const answer = await partner.requestToken(fields, path);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
    expect(answer.body.error_description).toMatch(/\.$/);
    expect(answer.headers.has('www-authenticate')).toBe(status === 401);
  });

  test('refuses a scope outside the list of allowed scopes', async () => {
    partner.simulator.settings.allowedScopes = ['orders'];
    expect((await partner.requestToken({ ...credentials, scope: 'orders' }, path)).status).toBe(200);
    const answer = await partner.requestToken({ ...credentials, scope: 'admin' }, path);
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_scope']);
  });

  test('refuses a form with a field sent twice', async () => {
    const body = new URLSearchParams([...Object.entries(credentials), ['client_id', 'other']]);
    const answer = await partner.call('POST', path, { body, token: null });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  });

  test('refuses JSON with 415', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await partner.call('POST', path, { headers, body: JSON.stringify(credentials), token: null });
    expect([answer.status, answer.body.error]).toEqual([415, 'invalid_request']);
  });
});

describe('HTTP Basic credentials', () => {
  const grant = { grant_type: 'client_credentials' };

  test('are accepted and form-decoded', async () => {
    partner.simulator.settings.clientSecret = 'a:b c%';
    const answer = await partner.requestToken(grant, '/oauth2/token', basic('partner:a%3Ab+c%25'));
    expect(answer.status).toBe(200);
  });

  test('are refused together with credentials in the body', async () => {
    const answer = await partner.requestToken(credentials, '/oauth2/token', basic('partner:simulated-secret'));
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  });
});

describe('a call to the order API', () => {
  test.each([
    ['without a token', null, 'token_missing', 'Bearer realm="order-service"'],
    ['with an invalid token', 'rubbish', 'token_invalid', 'error="invalid_token"'],
    ['with an unsigned token', 'eyJhbGciOiJub25lIn0.eyJqdGkiOiIxIn0.', 'token_invalid', 'error="invalid_token"'],
  ])('%s is refused with 401', async (_name, token, code, challenge) => {
    const answer = await partner.call('GET', '/v1/orders/any', { token });
    expect([answer.status, answer.body.error.code]).toEqual([401, code]);
    expect(answer.headers.get('www-authenticate')).toContain(challenge);
  });

  test('is refused when the token has expired by the clock of the service, and not one second earlier', async () => {
    const orderId = await partner.create();
    partner.passSeconds(partner.simulator.settings.tokenLifetimeSeconds - 1);
    expect((await partner.read(orderId)).status).toBe('WAITING_FOR_DOCUMENTS');
    partner.passSeconds(1);
    const answer = await partner.call('GET', `/v1/orders/${orderId}`);
    expect([answer.status, answer.body.error.code]).toEqual([401, 'token_expired']);
  });

  test('is refused after every token was revoked, until there is a new one', async () => {
    const orderId = await partner.create();
    partner.simulator.revokeAllTokens();
    expect((await partner.call('GET', `/v1/orders/${orderId}`)).status).toBe(401);
    await partner.authorize();
    expect((await partner.call('GET', `/v1/orders/${orderId}`)).status).toBe(200);
  });

  test('still works with its token after the secret was rotated, although the old secret is refused', async () => {
    const orderId = await partner.create();
    const secret = partner.simulator.rotateClientSecret();
    expect((await partner.call('GET', `/v1/orders/${orderId}`)).status).toBe(200);
    expect((await partner.requestToken(credentials)).status).toBe(401);
    expect((await partner.requestToken({ ...credentials, client_secret: secret })).status).toBe(200);
  });
});

test.each([
  ['seconds', 3600],
  ['milliseconds', 3_600_000],
  ['absent', undefined],
] as const)('the simulator can send expires_in as %s', async (expiresInUnit, expected) => {
  partner.simulator.settings.expiresInUnit = expiresInUnit;
  const answer = await partner.requestToken(credentials);
  expect(answer.body.expires_in).toBe(expected);
});
