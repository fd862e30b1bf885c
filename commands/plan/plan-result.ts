import type { Cost } from './cost.ts';
import type { OrderSize } from './order-size.ts';
import type { Share } from './shares.ts';
import type { Standing } from './standing.ts';
import type { Plan, Use } from './workload.ts';

/** Everything that the command prints, for scripts too. Costs are in US dollars. */
export interface PlanResult {
  /** When quotas and prices were looked up. */
  asOf: string;
  plan: Plan;
  /** What one order uses. */
  order: Use;
  /** The fullest first. */
  shares: Share[];
  firstLimit: Share & { fullAt: number };
  /** The events of the longest history that an execution can have. */
  history: { worstCase: number; limit: number };
  /** Of one order. */
  costs: Cost[];
  costOfOrder: number;
  costOfOneMore: Record<keyof OrderSize, number>;
  /** Of the stage in 30 days, beside the orders. */
  standing: Standing[];
  costOfStage: number;
}
