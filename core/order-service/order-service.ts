import { orderTable, TOKEN_KEY } from '../aws/order-table.ts';
import type { CallContext } from '../errors.ts';
import { stageCalls } from '../service/authorized-calls.ts';
import { stackToken } from '../service/stack-token.ts';
import { serviceSettings, stackSettings } from '../settings.ts';
import { type OrderServiceClient, type OrderServiceOptions, orderServiceClient } from './order-service-client.ts';
import type { ServiceTranslation } from './service-names.ts';

let options: OrderServiceOptions | undefined;

/** The client of this stage's order service. Its options and its token are set up on first use, once per Lambda environment. */
export function orderService(context: CallContext): OrderServiceClient {
  const { release } = stackSettings;
  options ??= {
    ...(serviceSettings as typeof serviceSettings & ServiceTranslation),
    release,
    tokens: stackToken(serviceSettings.tokenUrl, orderTable, TOKEN_KEY, release),
    ...stageCalls(),
  };
  return orderServiceClient(options, context);
}
