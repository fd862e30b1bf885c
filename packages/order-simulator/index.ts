import { randomUUID } from 'node:crypto';
import type { RecordedCall } from './call-record.ts';
import type { SimulatorHooks } from './context.ts';
import { type FaultState, Faults } from './faults.ts';
import { findDocument } from './order-actions.ts';
import { OrderBook, type SimulatedOrder } from './order-book.ts';
import type { OrderStatus, Outcome } from './order-machine.ts';
import { buildServer, type Routes } from './server.ts';
import { defaultSettings, type SimulatorSettings } from './settings.ts';
import { startSwitches } from './switches.ts';
import { createTokens } from './tokens.ts';

export type { RecordedBody, RecordedCall, RecordedFile } from './call-record.ts';
export type { SimulatorContext, SimulatorHooks } from './context.ts';
export { ServiceError } from './errors.ts';
export { type FaultName, type FaultState, faultNames } from './faults.ts';
export { type CreditOption, defaultOffers, type Offer, type OfferTemplate } from './offers.ts';
export { answerOne, type OneAnswer, type OneRequest, type StoredState } from './one-request.ts';
export type { SimulatedOrder, UploadedDocument, UploadedSignature } from './order-book.ts';
export type { OrderStatus, Outcome } from './order-machine.ts';
export { refuseOtherMethods } from './other-methods.ts';
export { tokenEndpoint } from './routes-token.ts';
export { type ScenarioName, scenarioNames } from './scenarios.ts';
export type { SimulatorSettings } from './settings.ts';
export type { IssuedToken } from './tokens.ts';

export interface SimulatorOptions {
  /** Default: 0, any free port. */
  port?: number;
  /** Milliseconds since the epoch. Orders change and tokens expire by this clock alone; there are no timers. */
  now?: () => number;
  settings?: Partial<SimulatorSettings>;
  hooks?: SimulatorHooks;
  /** Additional routes. */
  routes?: Routes;
  /** Whether to serve `switches.ts`, by which a user switches faults on and off. Default: no. */
  switches?: boolean;
}

export type Simulator = Awaited<ReturnType<typeof startSimulator>>;

/** Starts the simulator on 127.0.0.1. Rejects with Node's `EADDRINUSE` if the port is in use. */
export async function startSimulator(options: SimulatorOptions = {}) {
  const settings: SimulatorSettings = { ...defaultSettings, ...options.settings };
  const hooks: SimulatorHooks = { ...options.hooks };
  const now = options.now ?? Date.now;
  const orders = new OrderBook(settings, now);
  const tokens = createTokens(settings, now);
  const calls: RecordedCall[] = [];
  const faults = new Faults(() => settings.slowAnswerSeconds);
  const server = await buildServer({ settings, now, orders, tokens, calls, hooks, faults }, options.routes);
  const url = await server.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  faults.attachTo(server.server);
  const switches = options.switches ? await startSwitches(url, faults) : undefined;
  return {
    /** `{base_url}` of the order API. */
    url,
    /** `{auth_url}` of the token endpoints. */
    authorizationUrl: url,
    /** The address of the switches; undefined without them. */
    switchesUrl: switches?.url,
    /** Changes to settings or hooks take effect with the next call. */
    settings,
    hooks,
    /** All calls in order of arrival, including refused ones. */
    calls: (): readonly RecordedCall[] => [...calls],
    order: (orderId: string): SimulatedOrder | undefined => orders.find(orderId),
    orders: (): readonly SimulatedOrder[] => orders.all(),
    /** If the order has the status `from`, returns it to IN_WORK without an accept and inserts these outcomes. Returns whether it did. */
    goBack: (orderId: string, from: OrderStatus, outcomes: readonly Outcome[]) =>
      orders.goBack(orderId, from, outcomes),
    revokeAllTokens: tokens.revokeAll,
    /** Replaces the client secret and returns the new one. Tokens stay valid. */
    rotateClientSecret: (): string => {
      settings.clientSecret = randomUUID();
      return settings.clientSecret;
    },
    /** The bytes of a generated document. Rejects with a ServiceError (404) if the order has no such document. */
    content: async (orderId: string, fileId: string): Promise<Buffer> => {
      const order = orders.get(orderId);
      return orders.content(order, findDocument(order, fileId));
    },
    /** Deletes all orders, recorded calls and hooks, and resets the settings to the defaults with `changed`. Tokens stay valid. */
    reset: (changed: Partial<SimulatorSettings> = {}): void => {
      orders.forget();
      calls.length = 0;
      for (const given of [hooks, settings]) for (const name of Object.keys(given)) Reflect.deleteProperty(given, name);
      Object.assign(settings, defaultSettings, changed);
    },
    /** Refuses new connections. Calls in progress finish. */
    stopListening: () => faults.stopListening(),
    /** Listens again on the same port. */
    listenAgain: () => faults.listenAgain(),
    /** Sets the function that is called whenever a user switches the fault. */
    onFault: (changed: (state: FaultState) => void): void => {
      faults.onChange = changed;
    },
    close: async (): Promise<void> => {
      await switches?.close();
      faults.release();
      await faults.listenAgain();
      await server.close();
    },
  };
}
