import { describe, expect, test } from 'vitest';
import { Partner } from '../helpers/partner.ts';

const partner = Partner.forEachTest();

const grant = { grant_type: 'client_credentials' };
const credentials = { ...grant, client_id: 'partner', client_secret: 'simulated-secret' };
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

test('/oauth2/token returns a JWT with its lifetime, type and scope', async () => {
  const answer = await partner.requestToken({ ...credentials, scope: 'orders partner-7' });
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

type Form = ConstructorParameters<typeof URLSearchParams>[0];

test.each<[string, Form, Record<string, string>, number, string]>([
  ['no grant', { ...credentials, grant_type: '' }, {}, 400, 'invalid_request'],
  ['another grant', { ...credentials, grant_type: 'password' }, {}, 400, 'unsupported_grant_type'],
  ['another client', { ...credentials, client_id: 'other' }, {}, 401, 'invalid_client'],
  ['a wrong secret', { ...credentials, client_secret: 'other' }, {}, 401, 'invalid_client'],
  ['no credentials', grant, {}, 401, 'invalid_client'],
  ['another scope', { ...credentials, scope: 'admin' }, {}, 400, 'invalid_scope'],
  ['a field sent twice', [...Object.entries(credentials), ['client_id', 'other']], {}, 400, 'invalid_request'],
  ['JSON', { a: 'b' }, { 'content-type': 'application/json' }, 415, 'invalid_request'],
])('a token request with %s is refused', async (_what, form, headers, status, error) => {
  partner.simulator.settings.allowedScopes = ['orders'];
  const body = new URLSearchParams(form);
  const answer = await partner.call('POST', '/oauth2/token', { headers, body, token: null });
  expect([answer.status, answer.body.error]).toEqual([status, error]);
  expect(answer.headers.has('www-authenticate')).toBe(status === 401);
});

test('HTTP Basic credentials are form-decoded, and refused together with credentials in the body', async () => {
  partner.simulator.settings.clientSecret = 'a:b c%';
  const request = (form: Record<string, string>) =>
    partner.requestToken(form, '/oauth2/token', basic('partner:a%3Ab+c%25'));
  expect((await request(grant)).status).toBe(200);
  const twice = await request(credentials);
  expect([twice.status, twice.body.error]).toEqual([400, 'invalid_request']);
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

  test('is refused when the token has expired or was revoked, and not one second earlier', async () => {
    const orderId = await partner.create();
    const read = () => partner.call('GET', `/v1/orders/${orderId}`);
    partner.passSeconds(partner.simulator.settings.tokenLifetimeSeconds - 1);
    expect((await read()).status).toBe(200);
    partner.passSeconds(1);
    expect((await read()).body.error.code).toBe('token_expired');
    await partner.authorize();
    expect((await read()).status).toBe(200);
    partner.simulator.revokeAllTokens();
    expect((await read()).status).toBe(401);
  });
});
