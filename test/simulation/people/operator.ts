import { RedriveExecutionCommand, StartExecutionCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { run } from '../../../commands/program.ts';
import { OWN_FAULT } from '../../../commands/shared/failure.ts';
import { Dice } from '../plan/dice.ts';
import type { OperatorAct, OrderPlan } from '../plan/order-plan.ts';
import { orderAt } from '../world/references.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';
import { sweepOnce } from '../world/sweeps.ts';
import { Tally } from '../world/tally.ts';

interface Shown {
  waitingFor: string;
  failure?: { error: string };
  advice?: { command?: string };
  executions: { arn: string; status: string }[];
}

/** Seconds: longer than until the next sweep. */
const NOTICED_WITHIN = 18_000;

/** After this many rounds with one order the operator gives up. */
const MOST_ROUNDS = 12;

/** Uses the command line and the Step Functions console as docs/operations.md says, some time after an order begins to wait for an operator. */
export class Operator {
  readonly #world: SimulatedWorld;
  readonly #rounds = new Tally();
  readonly #started = new Tally();
  readonly #retries = new Map<string, readonly number[]>();
  readonly #over = new Map<string, number>();
  /** The last planned visit for each order. Earlier planned visits do not take place. */
  readonly #expected = new Map<string, symbol>();

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  /** Called when an execution of the order has ended without success. */
  onEnd(orderRef: string): void {
    const plan = this.#world.plans.get(orderRef);
    if (!plan || plan.operatorAway || this.#expected.has(orderRef)) return;
    const rounds = this.#rounds.add(orderRef);
    if (rounds > MOST_ROUNDS) return;
    const dice = new Dice(orderRef, 'operator', rounds);
    this.#visit(orderRef, dice.between(200, 1800), () => this.#tend(orderRef));
  }

  /** Stops the running execution, and lets it go on when the plan says. After an immediate retry, one of its functions may still be running. */
  async abort({ orderRef, abort, operatorAway }: OrderPlan): Promise<void> {
    const isStopped = new Dice(orderRef, 'stop').chance(0.5) ? await this.#stop(orderRef) : await this.#abort(orderRef);
    this.#world.operated.add(isStopped ? 'aborted by an operator' : 'abort refused: nothing was running');
    if (!isStopped || !abort || operatorAway) return;
    const { retryAfter } = abort;
    const refused = 'retry after an abort that was refused or failed';
    if (retryAfter === 0) return this.#goOn(orderRef, 'at once after an abort', refused);
    this.#visit(orderRef, retryAfter, () => this.#goOn(orderRef, 'after an abort', refused));
  }

  async act(orderRef: string, acts: readonly OperatorAct[]): Promise<void> {
    for (const act of acts) {
      const isDone = await this.#do(orderRef, act);
      this.#world.operated.add(`at once: ${act}${isDone ? '' : ', refused'}`);
    }
  }

  async #do(orderRef: string, act: OperatorAct): Promise<boolean> {
    const { aws, schedule } = this.#world;
    if (act === 'stop') return this.#stop(orderRef);
    if (act === 'end wait') return this.#endWait(orderRef);
    if (act === 'sweep') return sweepOnce(aws).then(() => true);
    if (act === 'dismiss' || act === 'erase') return this.#end(orderRef, act);
    const how = { redrive: 'redriven', start: 'started by hand', retry: 'retried' }[act];
    const isDone = await this.#try(orderRef, how);
    if (isDone) this.#retries.set(orderRef, [...this.retries(orderRef), schedule.now()]);
    if (isDone && act === 'redrive') schedule.later(NOTICED_WITHIN, () => this.#checkNoticed(orderRef));
    return isDone;
  }

  /** The service has said that it may be read. */
  async #endWait(orderRef: string): Promise<boolean> {
    const { aws, simulator } = this.#world;
    const { code } = await command(aws.endpoint, 'retry', orderRef, '--now', '--yes');
    if (code === 0) delete orderAt(simulator, orderRef)?.lastRead;
    return code === 0;
  }

  async #end(orderRef: string, act: 'dismiss' | 'erase'): Promise<boolean> {
    const { aws, schedule } = this.#world;
    const { code } = await command(aws.endpoint, 'dismiss', orderRef, '--reason', 'It is not wanted any more');
    if (code !== 0) return false;
    this.#over.set(orderRef, schedule.now());
    return act === 'dismiss' || (await command(aws.endpoint, 'erase', orderRef, '--confirm', orderRef)).code === 0;
  }

  /** A redriven order that is under way does not wait for an operator, whatever became of the event of that. */
  async #checkNoticed(orderRef: string): Promise<void> {
    const { aws, witness } = this.#world;
    const { json } = await command(aws.endpoint, 'show', orderRef);
    const { waitingFor, executions = [] } = (json ?? {}) as Partial<Shown>;
    if (waitingFor === 'operator' && executions.at(-1)?.status === 'RUNNING')
      witness.note(orderRef, 'its execution is redriven and runs, but it waits for an operator');
  }

  /** When an operator dismissed the order, in virtual milliseconds. */
  over(orderRef: string): number | undefined {
    return this.#over.get(orderRef);
  }

  async #abort(orderRef: string): Promise<boolean> {
    return (await command(this.#world.aws.endpoint, 'abort', orderRef)).code === 0;
  }

  /** In the Step Functions console. */
  async #stop(orderRef: string): Promise<boolean> {
    const execution = await this.#lastExecution(orderRef);
    if (execution?.status !== 'RUNNING') return false;
    return isDone(this.#world.stepFunctions.send(new StopExecutionCommand({ executionArn: execution.arn })));
  }

  async #lastExecution(orderRef: string): Promise<Shown['executions'][number] | undefined> {
    const { json } = await command(this.#world.aws.endpoint, 'show', orderRef);
    return (json as Partial<Shown> | undefined)?.executions?.at(-1);
  }

  /** Replaces an earlier planned visit, so that each end of an execution is retried once. */
  #visit(orderRef: string, seconds: number, act: () => Promise<void>): void {
    const visit = Symbol(orderRef);
    this.#expected.set(orderRef, visit);
    this.#world.schedule.later(seconds, async () => {
      if (this.#expected.get(orderRef) !== visit) return;
      this.#expected.delete(orderRef);
      await act();
    });
  }

  /** When a person let an execution go on or started one, in virtual milliseconds. */
  retries(orderRef: string): readonly number[] {
    return this.#retries.get(orderRef) ?? [];
  }

  /** If it is refused, plans another visit, because the end of the execution may already have been reported. */
  async #goOn(orderRef: string, why: string, refused: string, resolve?: object): Promise<void> {
    const { operated, schedule } = this.#world;
    const at = schedule.now();
    const how = resolve
      ? 'started by hand'
      : new Dice(orderRef, 'how', at).weighted({ retried: 2, redriven: 2, 'started by hand': 1 });
    const isDone = await this.#try(orderRef, how, resolve);
    operated.add(isDone ? `${how} ${why}` : `${how}: ${refused}`);
    if (isDone) this.#retries.set(orderRef, [...this.retries(orderRef), at]);
    else this.onEnd(orderRef);
  }

  async #try(orderRef: string, how: string, resolve?: object): Promise<boolean> {
    const { aws, stepFunctions, outputs } = this.#world;
    if (how === 'retried') return (await command(aws.endpoint, 'retry', orderRef)).code === 0;
    if (how === 'redriven') {
      const { arn: executionArn } = (await this.#lastExecution(orderRef)) ?? {};
      return isDone(stepFunctions.send(new RedriveExecutionCommand({ executionArn })));
    }
    const input = JSON.stringify({ orderRef, generation: 1, ...(resolve && { resolve }) });
    const name = `${orderRef}-by-hand-${this.#started.add(orderRef)}`;
    const stateMachineArn = outputs.OrderStateMachine;
    return isDone(stepFunctions.send(new StartExecutionCommand({ stateMachineArn, name, input })));
  }

  async #tend(orderRef: string): Promise<void> {
    const { operated, simulator, aws } = this.#world;
    const { code: shown, json } = await command(aws.endpoint, 'show', orderRef);
    if (shown !== 0) return this.onEnd(orderRef);
    const { waitingFor, failure, advice } = json as Shown;
    if (waitingFor !== 'operator') return;
    const [, verb = '', ...words] = advice?.command?.split(' ') ?? [];
    if (verb === 'resolve') {
      const found = orderAt(simulator, orderRef);
      const says = found
        ? words.map((word) => word.replace('<orderId>', found.orderId))
        : [orderRef, '--none', '--yes'];
      operated.add(`resolved: the order was ${found ? '' : 'not '}created`);
      const word = found ? { orderId: found.orderId } : { none: true };
      if (new Dice(orderRef, 'resolve').chance(0.5))
        return this.#goOn(orderRef, 'with what the service says', 'refused or failed', word);
      await command(aws.endpoint, verb, ...says);
    }
    await this.#goOn(orderRef, `after ${failure?.error}`, 'refused or failed');
  }
}

/** Whether AWS did what was asked. It may refuse, or fail. */
async function isDone(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if ((error as { $metadata?: object }).$metadata) return false;
    throw error;
  }
}

/** It may be refused, or fail because AWS fails. An unexpected error in it ends the simulation. */
export async function command(endpoint: string, ...words: string[]): Promise<{ code: number; json: unknown }> {
  const printed: string[] = [];
  const said: string[] = [];
  const streams = { out: (text: string) => void printed.push(text), err: (text: string) => void said.push(text) };
  const code = await run(['--endpoint', endpoint, '--json', ...words], streams);
  if (code === OWN_FAULT) throw new Error(`loan-orders ${words.join(' ')}: ${said.join('')}`);
  return { code, json: code === 0 ? JSON.parse(printed.join('')) : undefined };
}
