import { logger } from '../log.ts';
import { addEvent } from '../order/timeline.ts';
import { claimRedriven, type Driver } from './drivers.ts';

/** What every step of the state machine gets: the order, and its execution as Step Functions knows it. */
export interface StepInput {
  orderRef: string;
  generation?: number;
  execution?: { Id: string; RedriveCount?: number };
}

/**
 * Before a step of an execution that a person has redriven: gives the order back to it.
 * @throws Superseded if it may not drive the order.
 */
export async function resumeRedriven({ orderRef, generation, execution }: StepInput): Promise<void> {
  const { Id = '', RedriveCount: redrives = 0 } = execution ?? {};
  if (redrives === 0 || generation === undefined) return;
  const driver = { orderRef, generation, execution: Id, redrives };
  const { isNew } = await claimRedriven(driver);
  if (isNew) await tellOfRedrive(driver);
}

/** Says in the timeline that a person has redriven the execution. */
export async function tellOfRedrive({ orderRef, generation, redrives }: Driver): Promise<void> {
  logger.info('The execution was redriven', { redrives });
  await addEvent(orderRef, 'An operator has redriven the execution', { generation, redrives });
}
