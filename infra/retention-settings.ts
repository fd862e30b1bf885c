import { z } from 'zod';

/** Days after the end of an order, or `keep` for ever. */
const days = z.union([z.int().min(1).max(36_500), z.literal('keep')], {
  error: 'must be a number of days from 1 to 36500, or keep',
});

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
