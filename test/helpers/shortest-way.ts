import type { Simulator, SimulatorSettings } from '@business-loan-orders/order-simulator';
import { confirming, creating, downloading, type Matches, reading, signing, uploading } from './faults.ts';
import { MAIN_PATH, NO_SIGNATURES, OFFERS_AT_ONCE, SIGNATURES_AT_ONCE } from './offers.ts';

/** The statuses that an order must pass to make these calls. The others would only take longer. */
const statusesFor = new Map<Matches, Partial<SimulatorSettings>>([
  [creating, OFFERS_AT_ONCE],
  [reading, OFFERS_AT_ONCE],
  [confirming, OFFERS_AT_ONCE],
  [uploading, NO_SIGNATURES],
  [downloading, SIGNATURES_AT_ONCE],
  [signing, SIGNATURES_AT_ONCE],
]);

/** The next orders take the shortest way on which they make such calls. */
export function shortenFor({ settings }: Simulator, matches: Matches): void {
  Object.assign(settings, { ...MAIN_PATH, ...statusesFor.get(matches) });
}
