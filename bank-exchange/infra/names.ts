import { ordersStackName } from '../../infra/names.ts';

export const exchangeStackName: typeof ordersStackName = (stage) =>
  ordersStackName(stage).replace('LoanOrders-', 'LoanOrdersLegacy-');
