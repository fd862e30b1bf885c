import { z } from 'zod';

/** A setting that is a whole number in this range. */
export const whole = (least: number, most = Number.MAX_SAFE_INTEGER) => z.int().min(least).max(most);
