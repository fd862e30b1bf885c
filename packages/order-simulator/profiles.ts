import type { SimulatorSettings } from './settings.ts';

const option = (code: string, amount: number) => ({ code, amount, termMonths: 12, rate: 19.5 });

/**
 * Settings of a service that differs from the default wherever the specification allows it: identifiers are numbers, seconds are
 * texts, names and statuses are different, and optional input is refused.
 */
export const otherReadings: Partial<SimulatorSettings> = {
  names: {
    orderId: 'id',
    signatureId: 'signId',
    offerStatus: 'approvalStatus',
    confirmOfferId: 'offer',
    confirmCode: 'creditOptionCode',
  },
  identifiers: 'numbers',
  seconds: 'text',
  otherStatuses: { IN_WORK: 'В работе', OFFERS_APPROVED: 'SENT_TO_BANK' },
  confirmedStatus: 'Подтверждено',
  acceptBody: 'object',
  tokenAuthentication: 'basic',
  clientId: 'partner & co:1',
  clientSecret: 'тайна+%:&=',
  scopeRequired: true,
  allowedScopes: ['partner-7'],
  expiresInUnit: 'milliseconds',
  orderContentType: 'application/vnd.loans+json',
  unstatedBodies: 'json',
  offers: [
    { bankName: 'Один', status: 'AVAILABLE', creditOptions: [option('12345678901234567890', 1), option('7', 2)] },
    { bankName: 'Два', status: 'отказ', creditOptions: [] },
    { bankName: 'Три', status: 'AVAILABLE', creditOptions: [option('000', 3)] },
  ],
};
