import { examplePackage } from '../laptop/example-package.ts';

export const twoOffers = examplePackage('two-offers');

export const OFFERS_CHOSEN = 2;

/** Settings of the simulated service, as on the laptop. */
export const WAITS = { pollAfterSeconds: 1, processingSeconds: 1, bankSeconds: 2 };
