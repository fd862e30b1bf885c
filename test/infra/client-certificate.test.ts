import { describe } from 'vitest';
import { type Definition, definitions } from '../../infra/order/function-definitions.ts';
import { connectionRules } from '../helpers/stack-rules.ts';
import { orderTemplate } from '../helpers/template.ts';

describe('the connection to the service', () => {
  const calling = Object.values<Definition>(definitions).filter(({ callsService }) => callsService).length;
  connectionRules(
    (connection) =>
      orderTemplate('prod', (stage) => ({ ...stage, orderService: { ...stage.orderService, ...connection } })),
    calling,
    'loan-orders-prod-client-certificate',
  );
});
