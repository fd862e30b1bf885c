import type { confirmSettings, deadlineSettings, pollSettings, readSettings } from '../settings.ts';

/** Stage settings used by `decide`. */
export type ReadingRules = typeof readSettings & typeof pollSettings & typeof deadlineSettings & typeof confirmSettings;
