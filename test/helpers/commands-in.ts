import { expect, vi } from 'vitest';
import { loanOrders, type Outcome } from './command-line.ts';
import type { World } from './world.ts';

export interface Commands {
  run(...args: string[]): Promise<Outcome>;
  /** Runs a command with the rights of this access key alone, as on AWS. */
  as(accessKey: string, ...args: string[]): Promise<Outcome>;
  /** Runs a command that must succeed. Returns its output. */
  done(...args: string[]): Promise<string>;
  /** Runs a command that must refuse. Returns its one line on standard error. */
  refusal(...args: string[]): Promise<string>;
}

export function commandsIn({ aws }: Pick<World, 'aws'>): Commands {
  const run = (...args: string[]) => loanOrders(['--local', '--endpoint', aws.endpoint, ...args]);
  return {
    run,
    as: (accessKey, ...args) => {
      const environment = { ...aws.environment, AWS_ACCESS_KEY_ID: accessKey };
      return loanOrders(['--stage', 'local', ...args], environment);
    },
    done: async (...args) => outputOf(await run(...args)),
    refusal: async (...args) => refusalOf(await run(...args)),
  };
}

export function outputOf({ code, stdout, stderr }: Outcome): string {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

export function refusalOf({ code, stdout, stderr }: Outcome): string {
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^[^\n]+\.\n$/);
  return stderr;
}

/** Runs commands while the clock of this machine is the world's, or so much ahead of it. */
export async function inItsTime<Result>({ clock }: World, run: () => Promise<Result>, ahead = 0): Promise<Result> {
  vi.useFakeTimers({ toFake: ['Date'], now: clock.now() + ahead });
  return run().finally(() => vi.useRealTimers());
}

export const REASON = 'Maintenance of the order service';

export async function changePause(world: World, what: 'pause' | 'resume'): Promise<void> {
  const reason = what === 'pause' ? ['--reason', REASON] : [];
  await inItsTime(world, () => loanOrders(['--local', '--endpoint', world.aws.endpoint, what, ...reason]));
}
