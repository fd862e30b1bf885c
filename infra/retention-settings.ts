import { z } from 'zod';
import { whole } from './whole-number.ts';

/** A hundred years. */
const MOST_DAYS = 36_500;

const days = z.union([whole(1, MOST_DAYS), z.literal('keep')], {
  error: `must be a number of days from 1 to ${MOST_DAYS}, or keep`,
});

const asNumber = (value: number | 'keep') => (value === 'keep' ? Number.POSITIVE_INFINITY : value);

export const retentionSchema = z
  .strictObject({
    documentsDays: days
      .default(90)
      .describe(
        'How long the files of an order are kept in both buckets after its end, in days. Answers to rejected uploads are kept as long after the upload.',
      ),
    recordDays: days
      .default(365)
      .describe(
        'How long the record of an order is kept after its end, in days, at least `documentsDays`. Then only references and the proof of the removal stay.',
      ),
    legalHold: z
      .boolean()
      .default(false)
      .describe(
        '`true` keeps everything of every order, whatever the days say, and `erase` refuses. It needs `keepData: true`.',
      ),
  })
  .refine(({ documentsDays, recordDays }) => asNumber(recordDays) >= asNumber(documentsDays), {
    error: 'must have recordDays >= documentsDays, because the record says what became of the files',
  })
  .prefault({})
  .describe('How long data of orders that are over is kept. `keep` keeps it for ever. The sweep removes it.');
