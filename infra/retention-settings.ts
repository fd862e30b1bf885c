import { z } from 'zod';

/** A hundred years. */
const MOST_DAYS = 36_500;

/** Days after the end of an order, or `keep` for ever. */
const days = z.custom<number | 'keep'>((value) => value === 'keep' || isDays(value), {
  error: `must be a number of days from 1 to ${MOST_DAYS}, or keep`,
});

function isDays(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_DAYS;
}

const asNumber = (value: number | 'keep') => (value === 'keep' ? Number.POSITIVE_INFINITY : value);

/** How long data of orders that are over is kept. The sweep removes it. */
export const retentionSchema = z
  .strictObject({
    /** The files in both buckets: package, documents, signatures, answers. */
    documentsDays: days,
    /** What the record may hold about people. */
    recordDays: days,
    /** Keeps everything, whatever the numbers say: for a lawsuit or an investigation. */
    legalHold: z.boolean(),
  })
  .refine(({ documentsDays, recordDays }) => asNumber(recordDays) >= asNumber(documentsDays), {
    error: 'must have recordDays >= documentsDays, because the record says what became of the files',
  });
