import { otherReadings, type Simulator, type SimulatorSettings } from '@business-loan-orders/order-simulator';
import { environmentOfOtherReadings } from '../../helpers/other-readings.ts';

/** Which order service the orders meet: one like the defaults, or one that reads the specification in another way wherever it can. */
export const profiles = ['default', 'other'] as const;
export type Profile = (typeof profiles)[number];

/** The same in both profiles. */
const common: Partial<SimulatorSettings> = {
  pollAfterSeconds: 10,
  processingSeconds: 8,
  slowProcessingSeconds: 45,
  bankSeconds: 9,
  tokenLifetimeSeconds: 900,
  closeWithoutConfirmationSeconds: 60,
  documentsToSign: 1,
};

const settings: Record<Profile, Partial<SimulatorSettings>> = {
  default: { ...common, unstatedBodies: 'json' },
  other: { ...common, ...otherReadings, unstatedBodies: 'empty' },
};

export function settingsOf(profile: Profile): Partial<SimulatorSettings> {
  return settings[profile];
}

/** The environment of functions that are set up for this service. */
export function environmentOf(profile: Profile): Record<string, string> {
  return profile === 'other' ? environmentOfOtherReadings() : {};
}

/** The secret that the partner keeps for this service. */
export function secretOf({ settings }: Simulator): string {
  const { clientId: client_id, clientSecret: client_secret, allowedScopes } = settings;
  return JSON.stringify({ client_id, client_secret, ...(allowedScopes && { scope: allowedScopes.join(' ') }) });
}
