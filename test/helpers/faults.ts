import type { RecordedCall, Simulator, SimulatorHooks } from '../../simulator/index.ts';

export type Fault = NonNullable<SimulatorHooks['before']>;
export type Matches = (call: RecordedCall) => boolean;

const is =
  (method: string, path: RegExp): Matches =>
  (call) =>
    call.method === method && path.test(call.path);

/** The calls of an order, as a test picks them. */
export const creating = is('POST', /^\/v1\/orders$/);
export const reading = is('GET', /^\/v1\/orders\/[^/]+$/);
export const uploading = is('POST', /\/documents$/);
export const accepting = is('POST', /\/accept$/);
export const downloading = is('GET', /\/download$/);
export const confirming = is('POST', /\/confirm$/);

/** Does `fault` to the first `times` calls that match, before or after the service has done its part. */
export function inject(
  simulator: Simulator,
  when: keyof SimulatorHooks,
  matches: Matches,
  fault: Fault,
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

/** After the service has done its part: only the answer is lost. */
export const loseAnswer: Fault = async (_call, request) => {
  request.raw.socket.destroy();
};

/** Before the service has done its part: it never does. */
export const loseRequest: Fault = async (_call, request, reply) => {
  request.raw.socket.destroy();
  await reply.send();
};

/** In place of the service. */
export const answer =
  (status: number, body?: object, headers: Record<string, string> = {}): Fault =>
  async (_call, _request, reply) => {
    await reply.code(status).headers(headers).send(body);
  };
