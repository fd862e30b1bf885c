import type { SimulatorSettings } from '@business-loan-orders/order-simulator';
import { environments } from '../../infra/order/function-environments.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';

const option = (code: string, amount: number) => ({ code, amount, termMonths: 12, rate: 19.5 });

/** Settings of a service that differs from the default wherever the specification allows it. */
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

export function stageOfOtherReadings(): Stage {
  const stage = stageSettings('local');
  const { names, orderContentType = '', confirmedStatus = '' } = otherReadings;
  return {
    ...stage,
    orderService: {
      ...stage.orderService,
      clientAuthentication: 'basic',
      contentType: orderContentType,
      names: names ?? stage.orderService.names,
      otherStatuses: { 'В работе': 'IN_WORK', SENT_TO_BANK: 'OFFERS_APPROVED' },
      acceptBody: 'empty-object',
      confirmNumbers: 'as-numbers',
    },
    token: { ...stage.token, expiresInUnit: 'milliseconds' },
    offers: { ...stage.offers, confirmedStatus },
  };
}

export function environmentOfOtherReadings(): Record<string, string> {
  const stage = stageOfOtherReadings();
  const { ORDER_SERVICE_URL: _url, TOKEN_URL: _token, ...environment } = environments.service(stage);
  return { ...environment, CONFIRMED_OFFER_STATUS: stage.offers.confirmedStatus };
}
