import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { issue, secretOf } from '../../../helpers/tls-service.ts';

const METRICS = '../../../../core/metrics.ts';

// Modules of their own: other test files share the usual ones, and may have loaded them before.
vi.resetModules();
vi.doMock(METRICS, async (original) => ({ ...(await original<object>()), publish: vi.fn() }));
const { logger } = await import('../../../../core/log.ts');
const { publish } = await import('../../../../core/metrics.ts');
const { Connections } = await import('../../../../core/http/connections.ts');
afterAll(() => {
  vi.doUnmock(METRICS);
  vi.resetModules();
});

const DAY = 86_400_000;
const published = vi.mocked(publish);
const warned = vi.spyOn(logger, 'warn').mockReturnValue();
afterEach(() => {
  vi.clearAllMocks();
  vi.useRealTimers();
});

function secretFor(days: number): string {
  const notAfter = new Date(Math.ceil((Date.now() + days * DAY) / 1000) * 1000);
  return secretOf(issue('partner', { validity: { notBefore: new Date(Date.now() - DAY), notAfter } }));
}

const secondsLeft = () => published.mock.calls.map(([name, , value]) => [name, Math.round(value / 86_400)]);

test('each time the certificate is read, the seconds until it expires are published, and nothing is warned of', async () => {
  const secret = secretFor(200);
  const connections = new Connections({ readCertificate: async () => secret });
  await connections.current();
  await connections.current();
  expect(secondsLeft()).toEqual([['ClientCertificateSecondsLeft', 200]]);
  vi.useFakeTimers({ now: Date.now() + DAY, toFake: ['Date'] });
  await connections.current();
  expect(secondsLeft().at(-1)).toEqual(['ClientCertificateSecondsLeft', 199]);
  expect(warned).not.toHaveBeenCalled();
});

test('a certificate that expires within 30 days is warned of once in each environment, with its date', async () => {
  const secret = secretFor(20);
  const connections = new Connections({ readCertificate: async () => secret });
  await connections.current();
  vi.useFakeTimers({ now: Date.now() + DAY, toFake: ['Date'] });
  await connections.current();
  expect(secondsLeft()).toHaveLength(2);
  expect(warned.mock.calls).toEqual([
    ['The client certificate expires soon', { expiresAt: expect.stringMatching(/^\d{4}-/) }],
  ]);
});
