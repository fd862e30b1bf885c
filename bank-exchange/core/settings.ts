import { numberVariable, optionalText, settings, textVariable } from '../../core/settings.ts';

export const resourceSettings = settings({
  table: textVariable('EXCHANGE_TABLE'),
  stateMachine: textVariable('EXCHANGE_STATE_MACHINE'),
});

export const addressSettings = settings({
  url: textVariable('LEGACY_SERVICE_URL'),
  tokenUrl: textVariable('LEGACY_TOKEN_URL'),
});

/** Which requests a run fetches, by creation date. */
export const windowSettings = settings({
  overlapMinutes: numberVariable('WINDOW_OVERLAP_MINUTES'),
  dateFormat: textVariable<'date-time' | 'date'>('CREATION_DATE_FORMAT'),
  first: optionalText('FIRST_CREATION_DATE_FROM'),
});

export const pageSettings = settings({
  take: numberVariable('TAKE'),
  overlap: numberVariable('PAGE_OVERLAP'),
  perExecution: numberVariable('PAGES_PER_EXECUTION'),
  requestsMember: optionalText('REQUESTS_MEMBER'),
});
