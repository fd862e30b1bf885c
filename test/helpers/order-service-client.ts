import { Readable } from 'node:stream';
import type { Simulator } from '@business-loan-orders/order-simulator';
import { expect } from 'vitest';
import type { OrderError } from '../../core/errors.ts';
import type { FileSource } from '../../core/http/multipart.ts';
import {
  type OrderServiceClient,
  type OrderServiceOptions,
  orderServiceClient,
  type TokenSource,
} from '../../core/order-service/order-service-client.ts';
import { requestToken } from '../../core/service/token-request.ts';
import { stageSettings } from '../../infra/stages.ts';

export const tokenSettings = (url: string) =>
  ({
    url: `${url}/oauth2/token`,
    expiresInUnit: 'seconds',
    defaultLifetimeSeconds: 60,
    clientAuthentication: 'body',
    callTimeout: 20_000,
  }) as const;

export function clientOf(simulator: Simulator, tokens: TokenSource = ownToken(simulator)): OrderServiceClient {
  return clientAt(simulator.url, tokens);
}

export function clientAt(
  baseUrl: string,
  tokens: TokenSource,
  callTimeout = 20_000,
  options: Partial<OrderServiceOptions> = {},
): OrderServiceClient {
  const all: OrderServiceOptions = {
    ...stageSettings('local').orderService,
    baseUrl,
    tokens,
    callTimeout,
    fileTimeout: 20_000,
    fileIdleTimeout: 10_000,
    ...options,
  };
  return orderServiceClient(all, { subject: 'Order order-10045', operation: 'test', requestId: 'r' });
}

function ownToken(simulator: Simulator): TokenSource {
  let current: Promise<string> | undefined;
  const obtain = async () => {
    const { clientId, clientSecret } = simulator.settings;
    const credentials = { client_id: clientId, client_secret: clientSecret };
    return (await requestToken(credentials, tokenSettings(simulator.authorizationUrl))).value;
  };
  return {
    token: () => {
      current ??= obtain();
      return current;
    },
    replace: () => {
      current = obtain();
      return current;
    },
  };
}

export const fixedToken: TokenSource = { token: async () => 'token', replace: async () => 'another-token' };

export function fileOf(bytes: Buffer, name = 'file.pdf'): FileSource {
  return { name, contentType: 'application/pdf', size: bytes.length, open: async () => Readable.from([bytes]) };
}

export const failure = (call: Promise<unknown>): Promise<OrderError> =>
  call.then(
    () => expect.fail('the call should have failed'),
    (error) => error,
  );
