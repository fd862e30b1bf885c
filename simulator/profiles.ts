import type { SimulatorSettings } from './settings.ts';

const option = (code: string, amount: number) => ({ code, amount, termMonths: 12, rate: 19.5 });

/**
 * A service that reads the specification otherwise than the default wherever it may: identifiers that are numbers, seconds that are texts,
 * other names and words, and nothing that it does not have to take.
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
