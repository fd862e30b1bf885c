import { ServiceError } from './errors.ts';
import type { OrderPlan, Outcome } from './order-machine.ts';
import type { SimulatorSettings } from './settings.ts';

interface Scenario {
  /** The statuses that follow each IN_WORK. Default: `outcomes` of the settings. */
  outcomes?: readonly Outcome[];
  slow?: boolean;
  noOfferApproved?: boolean;
  /** Multiplies `documentsToSign` of the settings. */
  timesDocumentsToSign?: number;
}

const scenarios = {
  'validation-fails-at-once': { outcomes: ['VALIDATION_FAILED'] },
  'validation-fails-after-documents': { outcomes: ['WAITING_FOR_DOCUMENTS', 'VALIDATION_FAILED'] },
  'no-offer-approved': { noOfferApproved: true },
  'documents-again': {
    outcomes: ['WAITING_FOR_DOCUMENTS', 'WAITING_FOR_DOCUMENTS', 'WAITING_FOR_SIGNATURE', 'OFFERS_AVAILABLE'],
  },
  'second-signing-round': {
    outcomes: ['WAITING_FOR_DOCUMENTS', 'WAITING_FOR_SIGNATURE', 'WAITING_FOR_SIGNATURE', 'OFFERS_AVAILABLE'],
  },
  'more-documents-to-sign': { timesDocumentsToSign: 3 },
  'slow-processing': { slow: true },
} satisfies Record<string, Scenario>;

/** Values of an order's field `scenario`. An order without it takes the main path. */
export type ScenarioName = keyof typeof scenarios;

export const scenarioNames = Object.keys(scenarios) as ScenarioName[];

/** The scenario of an order. Throws a 400 that lists the scenarios if the name is unknown. */
export function scenarioOf(orderData: Record<string, unknown>): ScenarioName | undefined {
  const name = orderData.scenario;
  if (name === undefined) return undefined;
  const scenario = scenarioNames.find((candidate) => candidate === name);
  if (scenario) return scenario;
  const known = `Known scenarios: ${scenarioNames.join(', ')}. Leave the field out for the main path.`;
  throw new ServiceError(400, 'unknown_scenario', `Unknown scenario ${JSON.stringify(name)}. ${known}`);
}

export function documentsToSignOf(name: ScenarioName | undefined, { documentsToSign }: SimulatorSettings): number {
  const scenario: Scenario | undefined = name && scenarios[name];
  return documentsToSign * (scenario?.timesDocumentsToSign ?? 1);
}

export function planFor(name: ScenarioName | undefined, settings: SimulatorSettings): OrderPlan {
  const scenario: Scenario = name ? scenarios[name] : {};
  const processing = scenario.slow ? settings.slowProcessingSeconds : settings.processingSeconds;
  return {
    outcomes: scenario.outcomes ?? settings.outcomes,
    processing: processing * 1000,
    bank: settings.bankSeconds * 1000,
    closeWithoutConfirmation: settings.closeWithoutConfirmationSeconds * 1000,
    anyOfferAvailable: !scenario.noOfferApproved && settings.offers.some((offer) => offer.status === 'AVAILABLE'),
  };
}
