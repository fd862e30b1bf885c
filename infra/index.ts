/** The construct library: `import { LoanOrders } from 'business-loan-orders'` (docs/deployment.md). */
export { LoanOrders, type LoanOrdersProps, type StageSettings } from './order/loan-orders.ts';
export { type OrderResources, OrderStack } from './order/stack.ts';
export { SettingsError } from './stage-folder.ts';
export { type Stage, stageSettings } from './stages.ts';
