import { number, optionalText, settings, text } from '../../core/settings.ts';

export const resourceSettings = settings({
  table: text('EXCHANGE_TABLE'),
  stateMachine: text('EXCHANGE_STATE_MACHINE'),
});

export const addressSettings = settings({ url: text('LEGACY_SERVICE_URL'), tokenUrl: text('LEGACY_TOKEN_URL') });

/** Which requests a run fetches, by creation date. */
export const windowSettings = settings({
  overlapMinutes: number('WINDOW_OVERLAP_MINUTES'),
  dateFormat: text<'date-time' | 'date'>('CREATION_DATE_FORMAT'),
  first: optionalText('FIRST_CREATION_DATE_FROM'),
});

export const pageSettings = settings({
  take: number('TAKE'),
  overlap: number('PAGE_OVERLAP'),
  perExecution: number('PAGES_PER_EXECUTION'),
  requestsMember: optionalText('REQUESTS_MEMBER'),
});
