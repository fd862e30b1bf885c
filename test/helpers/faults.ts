import type { RecordedCall, Simulator, SimulatorHooks } from '@business-loan-orders/order-simulator';

export type ServiceFault = NonNullable<SimulatorHooks['before']>;
export type Matches = (call: RecordedCall) => boolean;

const is =
  (method: string, path: RegExp): Matches =>
  (call) =>
    call.method === method && path.test(call.path);

export const creating = is('POST', /^\/v1\/orders$/);
export const reading = is('GET', /^\/v1\/orders\/[^/]+$/);
export const uploading = is('POST', /\/documents$/);
export const accepting = is('POST', /\/accept$/);
export const signing = is('POST', /\/documents\/sign$/);
export const downloading = is('GET', /\/download$/);
export const confirming = is('POST', /\/confirm$/);

/** What Lambda answers of a function that was killed. */
export const KILLED = { payload: '{"errorType":"Runtime.ExitError"}', functionError: 'Unhandled' } as const;

/** Applies `fault` to the first `times` matching calls, before or after the service does its work. */
export function inject(
  simulator: Simulator,
  when: keyof SimulatorHooks,
  matches: Matches,
  fault: ServiceFault,
  times = 1,
): void {
  let left = times;
  simulator.hooks[when] = async (call, request, reply) => {
    if (left === 0 || !matches(call)) return;
    left -= 1;
    await fault(call, request, reply);
  };
}

export function removeFaults(simulator: Simulator): void {
  delete simulator.hooks.before;
  delete simulator.hooks.after;
}

/** Loses the answer. Use it after the service has done its work. */
export const loseAnswer: ServiceFault = async (_call, request) => {
  request.raw.socket.destroy();
};

/** Loses the request. Use it before the service does its work. */
export const loseRequest: ServiceFault = async (_call, request, reply) => {
  request.raw.socket.destroy();
  await reply.send();
};

export const answer =
  (status: number, body?: object | string, headers: Record<string, string> = {}): ServiceFault =>
  async (_call, _request, reply) => {
    await reply.code(status).headers(headers).send(body);
  };
