import { callEnvironment } from '../../infra/constructs/call-environment.ts';
import type { ExchangeStage } from './settings.ts';

export function serviceEnvironment(stage: ExchangeStage): Record<string, string> {
  const { baseUrl, authorizationUrl } = stage.exchange;
  return {
    ...callEnvironment(stage),
    // The specification shows credentials in the form (5.3).
    TOKEN_CLIENT_AUTHENTICATION: 'body',
    LEGACY_SERVICE_URL: baseUrl,
    LEGACY_TOKEN_URL: `${authorizationUrl.replace(/\/$/, '')}/token`,
  };
}

export function windowEnvironment({ exchange }: ExchangeStage): Record<string, string> {
  const { windowOverlapMinutes, creationDateFormat, firstCreationDateFrom } = exchange;
  return {
    WINDOW_OVERLAP_MINUTES: String(windowOverlapMinutes),
    CREATION_DATE_FORMAT: creationDateFormat,
    ...(firstCreationDateFrom && { FIRST_CREATION_DATE_FROM: firstCreationDateFrom }),
  };
}

export function pageEnvironment({ exchange }: ExchangeStage): Record<string, string> {
  const { take, pageOverlap, pagesPerExecution, requestsMember } = exchange;
  return {
    TAKE: String(take),
    PAGE_OVERLAP: String(pageOverlap),
    PAGES_PER_EXECUTION: String(pagesPerExecution),
    ...(requestsMember && { REQUESTS_MEMBER: requestsMember }),
  };
}
