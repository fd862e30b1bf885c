import { worstCase } from '../../infra/history-limit.ts';
import { stageSettings } from '../../infra/stages.ts';
import type { Answer } from '../refusal.ts';
import type { PlaceOptions } from '../stage/place.ts';
import { costOfOneMore, costsOf, total } from './cost.ts';
import type { PlanResult } from './plan-result.ts';
import { AS_OF, HISTORY_EVENTS } from './quotas.ts';
import { lines } from './report.ts';
import { firstLimit, sharesOf } from './shares.ts';
import { standingCosts } from './standing.ts';
import { orderDefinition } from './transitions.ts';
import { type Plan, useOf } from './workload.ts';

/** `plan`: what a number of orders uses of the account's quotas, and what it costs. It needs no AWS. */
export async function plan(
  { stage }: PlaceOptions,
  wish: Omit<Plan, 'readsPerExecution' | 'pollSeconds' | 'callsAtOnce'>,
): Promise<Answer> {
  const settingsOfStage = stageSettings(stage);
  const { readsPerExecution, pollAfterSeconds, callsAtOnce } = settingsOfStage;
  const settings = { readsPerExecution, pollSeconds: pollAfterSeconds.minimum };
  const planned: Plan = { ...wish, ...settings, ...(callsAtOnce !== undefined && { callsAtOnce }) };
  const use = useOf(planned.size, planned);
  const shares = sharesOf(planned, use);
  const costs = costsOf(use, planned.region);
  const standing = standingCosts(planned, settingsOfStage);
  const { once, perRead } = worstCase(orderDefinition());
  const result: PlanResult = {
    asOf: AS_OF,
    plan: planned,
    order: use,
    shares,
    firstLimit: firstLimit(shares),
    history: { worstCase: once + perRead * readsPerExecution, limit: HISTORY_EVENTS },
    costs,
    costOfOrder: total(costs),
    costOfOneMore: costOfOneMore(planned),
    standing,
    costOfStage: total(standing),
  };
  return { lines: lines(result), json: result };
}
