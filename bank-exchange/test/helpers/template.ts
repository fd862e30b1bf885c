import { type Stage, stageSettings } from '../../../infra/stages.ts';
import { keptTemplate, unbundledApp, withoutTraces } from '../../../test/helpers/template.ts';
import { type ExchangeSettings, exchangeSettings, exchangeStage } from '../../infra/settings.ts';
import { ExchangeStack } from '../../infra/stack.ts';

/** The stack of the bank exchange of a stage, without bundled functions. */
export function exchangeStack(
  name: string,
  change: (stage: Stage) => Stage = (same) => same,
  settings: Partial<ExchangeSettings> = {},
): ExchangeStack {
  const app = unbundledApp(name);
  const stage = exchangeStage(change(stageSettings(name)), { ...exchangeSettings(name), ...settings });
  return withoutTraces(() => new ExchangeStack(app, `LoanOrdersLegacy-${name}`, { stage }));
}

/** The template of this stack. Nobody may change it, because tests of other files get the same one. */
export const exchangeTemplate = (...[name, change, settings]: Parameters<typeof exchangeStack>) => {
  const stackOf = () => exchangeStack(name, change, settings);
  return keptTemplate(`exchange ${JSON.stringify(settings)}`, stackOf, [name, change]);
};
