import { type ExecFileOptions, execFile } from 'node:child_process';
import { run } from '../../commands/program.ts';

/** Variables that the tests themselves need, whatever a command may see. */
const KEPT = ['PATH', 'TMPDIR', 'LOCAL_AWS_COMPILE_CACHE', 'NODE_COMPILE_CACHE'];

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs in this process, because starting one takes most of a second. Runs with an `environment` take turns. */
export function loanOrders(args: readonly string[], environment?: Record<string, string>): Promise<Outcome> {
  return environment ? inEnvironment(environment, () => runHere(args)) : runHere(args);
}

/** Runs Node with these arguments. */
export function outcomeOf(args: string[], options: ExecFileOptions, node = process.execPath): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(node, args, { ...options, encoding: 'utf8' }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr });
    });
  });
}

/** What every command says while creations wait. */
const SAID_BESIDE = /^(?:Since .* the next is tried at |\{"creationsWait":)/;

async function runHere(args: readonly string[]): Promise<Outcome> {
  const outcome: Outcome = { code: 0, stdout: '', stderr: '' };
  outcome.code = await run([...args], {
    out: (text) => {
      outcome.stdout += text;
    },
    err: (text) => {
      if (!SAID_BESIDE.test(text)) outcome.stderr += text;
    },
  });
  return outcome;
}

let before: Promise<unknown> = Promise.resolve();

function inEnvironment(environment: Record<string, string>, work: () => Promise<Outcome>): Promise<Outcome> {
  const outcome = before.then(async () => {
    const own = { ...process.env };
    const kept = Object.fromEntries(Object.entries(own).filter(([name]) => KEPT.includes(name)));
    setEnvironment({ ...kept, ...environment });
    return work().finally(() => setEnvironment(own));
  });
  before = outcome.catch(() => undefined);
  return outcome;
}

function setEnvironment(variables: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(variables, name)) delete process.env[name];
  Object.assign(process.env, variables);
}
