const SystemDate = globalThis.Date;
const systemTimeout = globalThis.setTimeout;

/**
 * Milliseconds. Virtual time stands still while a function works, but the function sees up to this much real time pass, so its writes have
 * increasing times. Other functions do not see that time, so it must not exceed the usual clock difference of two machines.
 */
const MAX_OWN_TIME = 50;

/** How much faster the SDK sleeps in virtual time. */
const HASTE = 20;

/**
 * Replaces `Date` in this thread by the time of a virtual clock. It never goes back. The SDK sleeps for up to some seconds before a retry.
 * Those sleeps pass faster; sleeps of `node:timers/promises` do not.
 * @param skew how far this thread's clock is ahead of the virtual clock. Milliseconds; negative if it is behind.
 */
export function liveIn(shared: SharedArrayBuffer, skew: number): void {
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
  hurrySleeps();
}

/** A timer that calls the resolve function of a promise is a sleep. Other timers limit requests, and keep their time. */
function hurrySleeps(): void {
  const hurried = (callback: () => void, milliseconds = 0, ...given: []) =>
    systemTimeout(callback, isResolve(callback) ? milliseconds / HASTE : milliseconds, ...given);
  globalThis.setTimeout = Object.assign(hurried, systemTimeout);
}

/** Whether the JavaScript engine made this function, as it makes the resolve functions of promises. */
function isResolve(callback: () => void): boolean {
  // A bound function has the same text, but a name.
  return callback.name === '' && Function.prototype.toString.call(callback) === 'function () { [native code] }';
}
