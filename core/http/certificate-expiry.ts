import { logger } from '../log.ts';
import { MetricUnit, publish } from '../metrics.ts';
import { type ClientCertificate, EXPIRES_SOON_DAYS } from './client-certificate.ts';

const MILLISECONDS_PER_DAY = 86_400_000;

/**
 * Publishes how long the client certificate is still valid. An alarm watches it. The warning in the log has the date.
 * @param isNew whether this environment uses the certificate from now on. It is warned of only then.
 */
export function watchExpiry({ validTo }: ClientCertificate, isNew: boolean): void {
  const left = validTo.getTime() - Date.now();
  publish('ClientCertificateSecondsLeft', MetricUnit.Seconds, Math.round(left / 1000));
  if (!isNew || left > EXPIRES_SOON_DAYS * MILLISECONDS_PER_DAY) return;
  logger.warn('The client certificate expires soon', { expiresAt: validTo.toISOString() });
}
