import type { confirmSettings, deadlineSettings, pollSettings, readSettings } from '../settings.ts';

/** The stage's settings by which reads are decided. */
export type ReadingRules = typeof readSettings & typeof pollSettings & typeof deadlineSettings & typeof confirmSettings;
