import { type Laptop, type LaptopOptions, startStack } from '../../laptop/laptop.ts';
import { addressesOf, credentialsOf, type ExchangeSimulator, startExchangeSimulator } from '../simulator/index.ts';

export interface ExchangeLaptop extends Laptop {
  simulator: ExchangeSimulator;
}

/** Starts the exchange's stack with its simulator. Its schedules wait for `aws.startSchedules`. `simulatorPort` 0 is any free one. */
export async function startExchangeLaptop(options: LaptopOptions & { simulatorPort: number }): Promise<ExchangeLaptop> {
  const simulator = await startExchangeSimulator({
    port: options.simulatorPort,
    switches: true,
    book: { requestOrder: 'newest-first' },
  });
  const laptop = await startStack(options, {
    name: 'LoanOrdersLegacy-local',
    context: { legacy: 'alone' },
    credentials: credentialsOf(simulator),
    functionEnvironment: addressesOf(simulator),
    simulator,
  });
  return { ...laptop, simulator };
}
