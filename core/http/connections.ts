import { readSecret } from '../aws/secret.ts';
import { OrderError, ServiceUnavailable } from '../errors.ts';
import { logger } from '../log.ts';
import { MetricUnit, publish } from '../metrics.ts';
import { stackSettings } from '../settings.ts';
import { type ClientCertificate, checkDates, EXPIRES_SOON_DAYS, readClientCertificate } from './client-certificate.ts';
import { type Connection, connectionFor, retire } from './connection.ts';

export interface ConnectionsOptions {
  /** PEM. They are trusted beside Node's root certificates. */
  authorities?: string;
  /** Reads the secret of the client certificate; undefined if it is empty. Absent if there is no client certificate. */
  readCertificate?(): Promise<string | undefined>;
}

/** Milliseconds after which the secret is read again. */
const READ_AGAIN_AFTER = 5 * 60_000;

interface Held {
  connection: Connection;
  secret: string | undefined;
  certificate: ClientCertificate | undefined;
  readAt: number;
}

/**
 * The connections to the services, with the client certificate that the secret has. It is cached in memory like the credentials, and read
 * again after a refusal and after some minutes. So a rotation needs no deployment and no restart.
 */
export class Connections {
  private readonly options: ConnectionsOptions;
  private held: Held | undefined;

  constructor(options: ConnectionsOptions) {
    this.options = options;
  }

  /** @throws Unauthorized if the client certificate cannot be used; ServiceUnavailable if it cannot be read. */
  async current(): Promise<Connection> {
    const { held } = this;
    if (held && this.isFresh(held)) return held.connection;
    return this.use(await this.read(held), Date.now());
  }

  /** Reads the secret again after a refusal. Returns undefined if it has no other usable certificate. */
  async renew(refused: Connection): Promise<Connection | undefined> {
    if (!this.options.readCertificate) return undefined;
    this.doubt(refused);
    try {
      const next = await this.current();
      return next === refused ? undefined : next;
    } catch (error) {
      // The refusal is the one to report.
      logger.error('The client certificate could not be read again', { error: (error as Error).name });
      return undefined;
    }
  }

  /** Makes the next call read the secret again. */
  doubt({ fresh }: Connection): void {
    if (this.held?.connection.fresh === fresh) this.held.readAt = Number.NEGATIVE_INFINITY;
  }

  private isFresh({ readAt, certificate }: Held): boolean {
    if (!this.options.readCertificate) return true;
    const now = Date.now();
    return now < readAt + READ_AGAIN_AFTER && certificate !== undefined && now <= certificate.validTo.getTime();
  }

  /** Reads the secret. If AWS does not answer, the certificate in memory is still used. */
  private async read(held: Held | undefined): Promise<string | undefined> {
    try {
      return await this.options.readCertificate?.();
    } catch (error) {
      if (error instanceof OrderError) throw error;
      const { name } = error as Error;
      if (held) {
        logger.warn('The client certificate could not be read again; the one in memory is used', { error: name });
        return held.secret;
      }
      throw new ServiceUnavailable(`The client certificate could not be read (${name}). Nothing was sent.`, {
        cause: error,
      });
    }
  }

  private use(secret: string | undefined, readAt: number): Connection {
    const { authorities, readCertificate } = this.options;
    const same = this.held && this.held.secret === secret ? this.held : undefined;
    const certificate = same?.certificate ?? (readCertificate && readClientCertificate(secret));
    if (certificate) {
      checkDates(certificate, new Date());
      watchExpiry(certificate, same === undefined);
    }
    if (same) {
      same.readAt = readAt;
      return same.connection;
    }
    const connection = connectionFor(authorities, certificate);
    if (this.held) retire(this.held.connection);
    this.held = { connection, secret, certificate, readAt };
    return connection;
  }
}

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

let connections: Connections | undefined;

/** The connections of this stage, once per Lambda environment. Undefined if the stage has no authorities and no client certificate. */
export function stageConnections(): Connections | undefined {
  const [secret, authorities] = [stackSettings.clientCertificateSecret, stackSettings.serviceAuthorities];
  if (secret === undefined && authorities === undefined) return undefined;
  connections ??= new Connections({
    ...(authorities && { authorities }),
    ...(secret !== undefined && { readCertificate: () => readSecret(secret) }),
  });
  return connections;
}
