import { orderTable } from '../aws/order-table.ts';
import type { CallContext } from '../errors.ts';
import { stageConnections } from '../http/connections.ts';
import { stackToken } from '../service/stack-token.ts';
import { callSettings, fileSettings, serviceSettings, stackSettings } from '../settings.ts';
import { OrderServiceClient, type OrderServiceOptions } from './order-service-client.ts';
import type { ServiceWords } from './service-names.ts';

let options: OrderServiceOptions | undefined;

/** The client of this stage's order service. Its options and its token are set up on first use, once per Lambda environment. */
export function orderService(context: CallContext): OrderServiceClient {
  options ??= makeOptions();
  return new OrderServiceClient(options, context);
}

function makeOptions(): OrderServiceOptions {
  const { release } = stackSettings;
  return {
    ...(serviceSettings as typeof serviceSettings & ServiceWords),
    release,
    // No order has this key: an `orderRef` begins with a letter or digit.
    tokens: stackToken(serviceSettings.tokenUrl, orderTable, { orderRef: '#token', item: 'token' }, release),
    connections: stageConnections(),
    callTimeout: callSettings.timeoutMilliseconds,
    fileTimeout: fileSettings.timeoutMilliseconds,
    fileIdleTimeout: callSettings.fileIdleTimeoutMilliseconds,
  };
}
