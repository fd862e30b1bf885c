import type { LaptopProgram } from '../../laptop/options.ts';
import { PORTS_HELP } from '../../laptop/ports.ts';

const HELP = `npm start -- --legacy [--once] [--port <port>] [--simulator-port <port>]

Runs the obsolete bank exchange on this machine, without an AWS account, instead of the order workflow.

  --once                   end when all checks have passed
${PORTS_HELP}`;

export const exchange = ({ args }: LaptopProgram): LaptopProgram => ({
  args: args.filter((arg) => arg !== '--legacy'),
  help: HELP,
  load: () => import('./run-laptop.ts'),
});
