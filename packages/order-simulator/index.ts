import { randomUUID } from 'node:crypto';
import { CallRecord, type RecordedCall } from './call-record.ts';
import type { SimulatorHooks } from './context.ts';
import { type FaultState, Faults } from './faults.ts';
import { findDocument } from './order-actions.ts';
import { OrderBook, type SimulatedOrder } from './order-book.ts';
import type { OrderStatus, Outcome } from './order-machine.ts';
import { buildServer, type Routes } from './server.ts';
import { defaultSettings, type SimulatorSettings } from './settings.ts';
import { startSwitches } from './switches.ts';
import { Tokens } from './tokens.ts';

export type { RecordedBody, RecordedCall, RecordedFile } from './call-record.ts';
export { hidden } from './call-record.ts';
export type { SimulatorContext, SimulatorHooks } from './context.ts';
export { ServiceError } from './errors.ts';
export { type FaultName, type FaultState, faultNames } from './faults.ts';
export { type CreditOption, defaultOffers, type Offer, type OfferTemplate } from './offers.ts';
export type { SimulatedOrder, UploadedDocument, UploadedSignature } from './order-book.ts';
export type { OrderStatus, Outcome } from './order-machine.ts';
export { refuseOtherMethods } from './other-methods.ts';
export { otherReadings } from './profiles.ts';
export { tokenEndpoint } from './routes-token.ts';
export { type ScenarioName, scenarioNames } from './scenarios.ts';
export type { SimulatorSettings } from './settings.ts';

export interface SimulatorOptions {
  /** Default: 0, any free port. */
  port?: number;
  /** Milliseconds since the epoch. Orders change and tokens expire by this clock alone; there are no timers. */
  now?: () => number;
  settings?: Partial<SimulatorSettings>;
  hooks?: SimulatorHooks;
  /** Other routes beside those of the order service. */
  routes?: Routes;
  /** Whether a person can switch faults on and off, at an address of their own. Default: no. */
  switches?: boolean;
}

export interface Simulator {
  /** `{base_url}` of the order API. */
  url: string;
  /** `{auth_url}` of the token endpoints. */
  authorizationUrl: string;
  /** The address of the switches, if there are any. */
  switchesUrl?: string;
  /** A change takes effect with the next call. */
  settings: SimulatorSettings;
  /** A change takes effect with the next call. */
  hooks: SimulatorHooks;
  /** Every call in order of arrival, including refused ones. */
  calls(): readonly RecordedCall[];
  order(orderId: string): SimulatedOrder | undefined;
  orders(): readonly SimulatedOrder[];
  /** Takes the order back to IN_WORK without an accept, if it has this status. Then it takes these outcomes. Returns whether it did. */
  goBack(orderId: string, from: OrderStatus, outcomes: readonly Outcome[]): boolean;
  /** Makes all tokens issued so far invalid. */
  revokeAllTokens(): void;
  /** Replaces the client secret and returns the new one. Tokens stay valid. */
  rotateClientSecret(): string;
  /** The bytes of a generated document. Throws a 404 if the order has no such document. */
  content(orderId: string, fileId: string): Promise<Buffer>;
  /** Refuses every new connection from now on. Calls under way finish. */
  stopListening(): void;
  /** Listens again on the same port. */
  listenAgain(): Promise<void>;
  /** Deletes all orders, recorded calls and hooks, and resets the settings to the defaults and these. Tokens stay. */
  forget(settings?: Partial<SimulatorSettings>): void;
  /** Calls the function with each fault that somebody switches on, and with `up`. */
  onFault(changed: (state: FaultState) => void): void;
  close(): Promise<void>;
}

/** Starts the simulator on 127.0.0.1. Rejects with Node's `EADDRINUSE` if the port is in use. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const settings: SimulatorSettings = { ...defaultSettings, ...options.settings };
  const hooks: SimulatorHooks = { ...options.hooks };
  const now = options.now ?? Date.now;
  const orders = new OrderBook(settings, now);
  const tokens = new Tokens(settings, now);
  const calls = new CallRecord();
  const faults = new Faults(() => settings.slowAnswerSeconds);
  const server = await buildServer({ settings, now, orders, tokens, calls, hooks, faults }, options.routes);
  const url = await server.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  faults.strike(server.server);
  const switches = options.switches ? await startSwitches(url, faults) : undefined;
  return {
    url,
    authorizationUrl: url,
    ...(switches && { switchesUrl: switches.url }),
    settings,
    hooks,
    calls: () => calls.all(),
    order: (orderId) => orders.find(orderId),
    orders: () => orders.all(),
    goBack: (orderId, from, outcomes) => orders.goBack(orderId, from, outcomes),
    revokeAllTokens: () => tokens.revokeAll(),
    rotateClientSecret: () => {
      settings.clientSecret = randomUUID();
      return settings.clientSecret;
    },
    content: async (orderId, fileId) => {
      const order = orders.get(orderId);
      return orders.content(order, findDocument(order, fileId));
    },
    forget: (changed = {}) => {
      orders.forget();
      calls.forget();
      for (const given of [hooks, settings]) for (const name of Object.keys(given)) Reflect.deleteProperty(given, name);
      Object.assign(settings, defaultSettings, changed);
    },
    stopListening: () => faults.stopListening(),
    listenAgain: () => faults.listenAgain(),
    onFault: (changed) => {
      faults.onChange = changed;
    },
    close: async () => {
      await switches?.close();
      faults.release();
      await faults.listenAgain();
      await server.close();
    },
  };
}
