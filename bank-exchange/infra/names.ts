import { type ordersStackName, stackNameOf } from '../../infra/names.ts';

export const exchangeStackName: typeof ordersStackName = (stage) => stackNameOf('LoanOrdersLegacy', stage);
