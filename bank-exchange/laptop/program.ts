import type { LaptopProgram } from '../../laptop/options.ts';

const HELP = `npm start -- --legacy [--once] [--plain] [--port <port>] [--simulator-port <port>]

Runs the obsolete bank exchange on this machine, without an AWS account, instead of the order workflow.

  --once                   end when all checks have passed
  --plain                  print lines as into a pipe
  --port <port>            port of the embedded AWS (default: 4566, or any free port if it is in use)
  --simulator-port <port>  port of the simulator (default: 4010, or any free port if it is in use)
`;

/** The program of `npm start -- --legacy`. */
export const exchange = ({ args }: LaptopProgram): LaptopProgram => ({
  args: args.filter((arg) => arg !== '--legacy'),
  help: HELP,
  load: () => import('./run-laptop.ts'),
});
