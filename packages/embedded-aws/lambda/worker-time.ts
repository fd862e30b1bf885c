const SystemDate = globalThis.Date;
const systemTimeout = globalThis.setTimeout;

/**
 * Milliseconds. Virtual time does not advance while a function runs. Its own clock advances by up to this much real time, so its writes have
 * increasing timestamps. This differs from other functions' clocks, so it must not exceed the usual clock skew between machines.
 */
const MAX_OWN_TIME = 50;

/** The factor by which the SDK's sleeps are shortened with a virtual clock. */
const SLEEP_DIVISOR = 20;

/**
 * Makes `Date` in this thread follow a virtual clock. Time never goes back. Also shortens the SDK's sleeps before retries, but not those of
 * `node:timers/promises`.
 * @param skew how far this thread's clock is ahead of the virtual clock. Milliseconds; negative if behind.
 */
export function useVirtualTime(shared: SharedArrayBuffer, skew: number): void {
  const [clock, now] = [new Float64Array(shared), () => clock[0] as number];
  let [last, movedTo, movedAt] = [0, 0, 0];
  const virtualNow = () => {
    if (now() !== movedTo) [movedTo, movedAt] = [now(), SystemDate.now()];
    last = Math.max(last, movedTo + Math.min(SystemDate.now() - movedAt, MAX_OWN_TIME));
    return last + skew;
  };
  globalThis.Date = new Proxy(SystemDate, {
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [virtualNow()] : given, newTarget),
    apply: (target) => new target(virtualNow()).toString(),
    get: (target, name, receiver) => (name === 'now' ? virtualNow : Reflect.get(target, name, receiver)),
  });
  shortenSleeps();
}

/** Shortens timers whose callback is the resolve function of a promise: these are sleeps. Other timers are timeouts and do not change. */
function shortenSleeps(): void {
  const shortened = (callback: () => void, milliseconds = 0, ...given: []) =>
    systemTimeout(callback, isResolve(callback) ? milliseconds / SLEEP_DIVISOR : milliseconds, ...given);
  globalThis.setTimeout = Object.assign(shortened, systemTimeout);
}

/** Whether the function is built in and has no name, like the resolve function of a promise. */
function isResolve(callback: () => void): boolean {
  // Bound functions have the same source text, but a name.
  return callback.name === '' && Function.prototype.toString.call(callback) === 'function () { [native code] }';
}
