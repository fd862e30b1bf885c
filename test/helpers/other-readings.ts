import { otherReadings } from '@business-loan-orders/order-simulator';
import { environments } from '../../infra/order/function-environments.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';

/** The stage settings that match the simulator's other readings of the specification. */
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

/** The environment of the functions of such a stage, without the addresses. */
export function environmentOfOtherReadings(): Record<string, string> {
  const stage = stageOfOtherReadings();
  const { ORDER_SERVICE_URL: _url, TOKEN_URL: _token, ...environment } = environments.service(stage);
  return { ...environment, CONFIRMED_OFFER_STATUS: stage.offers.confirmedStatus };
}
