/** Engines that a case may differ on. A real account is the judge: its difference is always a mistake of the table. */
export type EngineName = 'embedded' | 'moto';

/** How an engine differs from AWS: what it answers, as the report prints it, and why AWS is right. */
export type Differences = Partial<Record<EngineName, { got: string; why: string }>>;

/** The names and ARNs of the suite's resources, and the values that earlier cases kept. */
export type Scope = Record<string, string>;

/** One call of an operation, and what AWS answers. Cases of a suite run in order, so one may use what another has stored. */
export interface Case {
  title: string;
  operation: string;
  command: (scope: Scope) => object;
  expected: Outcome;
  pick: (output: never) => unknown;
  keep?: (output: never) => Record<string, unknown>;
  /** The document of AWS that the expected answer is taken from. */
  source: string;
  differs: Differences;
  Client: ClientClass;
  /** AWS answers so after some time only: the call is repeated. */
  eventually?: boolean;
  /** The caller has no rights but `restrictions` in template.ts. */
  restricted?: boolean;
}

export type ClientClass = new (settings: object) => { send(command: never): Promise<unknown>; destroy(): void };

export type Outcome = { answer: unknown } | { error: string };

interface CommandClass<Input, Output> {
  new (
    input: Input,
  ): { input: Input; resolveMiddleware(...args: never): (...args: never) => Promise<{ output: Output }> };
}

type Options<Output> = Partial<Pick<Case, 'source' | 'differs' | 'eventually' | 'restricted'>> & {
  keep?: (output: Output) => Record<string, unknown>;
};

type Given<Input> = Partial<Input> | ((scope: Scope) => Partial<Input>);

/** Makes the cases of one service. `reference` is the document, with `{operation}` for the operation's name. */
export function casesOf(Client: ClientClass, reference: string, common: (scope: Scope) => object = () => ({})) {
  function create<Input extends object, Output>(
    title: string,
    Command: CommandClass<Input, Output>,
    input: Given<Input>,
    compared: Pick<Case, 'expected' | 'pick'>,
    options: Options<Output>,
  ): Case {
    const operation = Command.name.replace(/Command$/, '');
    const given = typeof input === 'function' ? input : () => input;
    return {
      title,
      operation,
      Client,
      command: (scope) => new Command({ ...common(scope), ...given(scope) } as Input),
      source: reference.replace('{operation}', operation),
      differs: {},
      ...compared,
      ...options,
    };
  }
  return {
    answers: <Input extends object, Output>(
      title: string,
      Command: CommandClass<Input, Output>,
      input: Given<Input>,
      pick: (output: Output) => unknown,
      answer: unknown,
      options: Options<Output> = {},
    ) => create(title, Command, input, { expected: { answer }, pick }, options),
    /** AWS accepts it. No part of its answer is compared. */
    accepts: <Input extends object, Output>(
      title: string,
      Command: CommandClass<Input, Output>,
      input: Given<Input>,
      options: Options<Output> = {},
    ) => create(title, Command, input, { expected: { answer: 'accepted' }, pick: () => 'accepted' }, options),
    refuses: <Input extends object, Output>(
      title: string,
      Command: CommandClass<Input, Output>,
      input: Given<Input>,
      error: string,
      options: Options<Output> = {},
    ) => create(title, Command, input, { expected: { error }, pick: () => 'accepted' }, options),
  };
}

type Difference = Pick<Case, 'differs'>;

/** moto 5.2.1 answers this, for this reason. What `got` holds is written as the report prints it. */
export const moto = (got: string, why: string): Difference => ({ differs: { moto: { got, why } } });

/** The embedded AWS answers this. It refuses what it does not do, by a name that AWS does not use for it. */
export const embedded = (got: string, why: string): Difference => ({ differs: { embedded: { got, why } } });

/** Differences that several cases share. In all of them, AWS's document is clear, so moto is wrong. */
export const unchecked = moto('accepted', 'moto does not check it.');
export const breaks = moto('HTTP 500', 'moto fails on it.');
export const notRun = (got: string) =>
  moto(got, 'moto runs no executions by default, and its interpreter starts a state machine once only.');
const NO_RIGHTS = 'moto judges no rights unless it is told to, and then neither resources nor conditions.';
export const unjudged = (got = 'accepted') => moto(got, NO_RIGHTS);
