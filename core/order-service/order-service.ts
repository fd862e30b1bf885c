import { orderTable } from '../aws/order-table.ts';
import { environment, environmentFlag, environmentNumber } from '../environment.ts';
import { stageConnections } from '../http/stage-connections.ts';
import { limit } from '../limits.ts';
import { fleetToken } from '../service/fleet-token.ts';
import { OrderServiceClient, type OrderServiceOptions } from './order-service-client.ts';
import type { ServiceWords } from './service-names.ts';

let client: OrderServiceClient | undefined;

/** The client of this stage's order service. It is set up from the environment on first use, once per Lambda environment. */
export function orderService(): OrderServiceClient {
  client ??= new OrderServiceClient({
    baseUrl: environment('ORDER_SERVICE_URL'),
    // No order has this key: an `orderRef` begins with a letter or digit.
    tokens: fleetToken(environment('TOKEN_URL'), orderTable, { orderRef: '#token', item: 'token' }),
    connections: stageConnections(),
    callTimeout: environmentNumber('CALL_TIMEOUT_MILLISECONDS'),
    fileTimeout: environmentNumber('FILE_TIMEOUT_MILLISECONDS'),
    fileIdleTimeout: environmentNumber('FILE_IDLE_TIMEOUT_MILLISECONDS'),
    largestAnswer: limit('answerBytes'),
    mostOffers: limit('offers'),
    contentType: environment('ORDER_CONTENT_TYPE'),
    names: JSON.parse(environment('ORDER_SERVICE_NAMES')) as ServiceWords['names'],
    otherStatuses: JSON.parse(environment('OTHER_STATUSES')) as ServiceWords['otherStatuses'],
    acceptBody: environment('ACCEPT_BODY') as OrderServiceOptions['acceptBody'],
    confirmNumbers: environment('CONFIRM_NUMBERS') as OrderServiceOptions['confirmNumbers'],
    unavailableProvesNothingDone: environmentFlag('UNAVAILABLE_PROVES_NOTHING_DONE'),
  });
  return client;
}
