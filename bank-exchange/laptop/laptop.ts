import { type Laptop, type LaptopOptions, startStack } from '../../laptop/laptop.ts';
import { EXCHANGE_STACK, type ExchangeSimulator, exchangeService, startExchangeSimulator } from '../simulator/index.ts';

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
    stack: EXCHANGE_STACK,
    context: { legacy: 'alone' },
    service: exchangeService(simulator),
    simulator,
  });
  return { ...laptop, simulator };
}
