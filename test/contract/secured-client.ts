import { afterEach } from 'vitest';
import { Connections } from '../../core/http/connections.ts';
import { clientAt, fixedToken } from '../helpers/order-service-client.ts';
import { type Answer, authorityPem, issue, secretOf, TlsService } from '../helpers/tls-service.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

export async function opened<Service extends { close(): Promise<void> }>(service: Promise<Service>): Promise<Service> {
  open.push(await service);
  return service;
}

export const created: Answer = (request, response) => {
  request.resume().on('end', () => response.writeHead(201).end('{"orderId":"81185d2b"}'));
};
export const secretWith = (text: string | undefined) => ({ text, reads: 0 });
export function connectionsOf(secret: ReturnType<typeof secretWith> | undefined) {
  const readCertificate = async () => {
    if (secret) secret.reads += 1;
    return secret?.text;
  };
  return new Connections({ authorities: authorityPem, ...(secret && { readCertificate }) });
}
export const clientOf = (url: string, connections: Connections, callTimeout = 20_000) =>
  clientAt(url, fixedToken, callTimeout, { connections });

export async function openPartner(answer = created, options?: Parameters<typeof TlsService.start>[1]) {
  const service = await opened(TlsService.start(answer, options));
  const secret = secretWith(secretOf(issue('partner')));
  return { service, secret, client: clientOf(service.url, connectionsOf(secret)) };
}
