import { ordersStackName } from '../../infra/names.ts';

/** The name of the exchange's stack. */
export const exchangeStackName: typeof ordersStackName = (stage) =>
  ordersStackName(stage).replace('LoanOrders-', 'LoanOrdersLegacy-');
