import { type Simulator, type SimulatorOptions, startSimulator } from '@business-loan-orders/order-simulator';
import { variables } from '../../core/settings.ts';
import { addressSettings } from '../core/settings.ts';
import { type BookSettings, ExchangeBook } from './book.ts';
import { exchangeRoutes } from './routes.ts';

/** The order service's simulator, which also plays the platform of the bank exchange. */
export interface ExchangeSimulator extends Simulator {
  /** The platform's side: what users left and what the bank sent. */
  exchange: ExchangeBook;
}

/** Starts the simulator of the order service with the routes of the bank exchange. */
export async function startExchangeSimulator({
  book = {},
  ...options
}: SimulatorOptions & { book?: Partial<BookSettings> } = {}): Promise<ExchangeSimulator> {
  const exchange = new ExchangeBook(book, options.now ?? Date.now);
  const simulator = await startSimulator({ ...options, routes: (context) => exchangeRoutes(exchange, context) });
  return { ...simulator, exchange };
}

export const EXCHANGE_STACK = 'LoanOrdersLegacy-local';

/** The simulator as the service of the exchange's stack. */
export function exchangeService({ url, authorizationUrl, settings, exchange }: ExchangeSimulator) {
  const { scope } = exchange.settings;
  return {
    addresses: variables(addressSettings, { url, tokenUrl: `${authorizationUrl}/token` }),
    credentials: { client_id: settings.clientId, client_secret: settings.clientSecret, ...(scope && { scope }) },
  };
}
