import type { App } from 'aws-cdk-lib';
import { namedStage } from '../../infra/stages.ts';
import { deployment, exchangeSettings, exchangeStage, hasExchange } from './settings.ts';
import { ExchangeStack } from './stack.ts';

/**
 * Adds the stack of the obsolete bank exchange to a stage's app, if the stage's settings or the option `-c legacy` ask for it.
 * @throws Error that explains a wrong setting or option in one sentence.
 */
export function addExchange(app: App): void {
  const { settings: orders, folder } = namedStage(app);
  const legacy = app.node.tryGetContext('legacy');
  if (legacy === undefined && !hasExchange(orders.name, folder)) return;
  const stage = exchangeStage(orders, exchangeSettings(orders.name, folder));
  const deploy = deployment(legacy, stage.exchange);
  if (deploy === 'no') return;
  if (deploy === 'alone') app.node.tryRemoveChild(`LoanOrders-${stage.name}`);
  new ExchangeStack(app, `LoanOrdersLegacy-${stage.name}`, {
    stage,
    terminationProtection: stage.keepData,
    description: `The obsolete bank exchange, stage ${stage.name}`,
  });
}
