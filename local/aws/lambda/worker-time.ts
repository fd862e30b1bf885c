/** The machine's own time, of which functions in a virtual time see nothing. */
const SystemDate = globalThis.Date;

/**
 * Virtual time stands still while a function works. The function sees a little time pass all the same, so that what it writes first bears
 * the earlier time; no more than the clocks of two machines may differ by, since other functions do not see it. Milliseconds.
 */
const MOST_OWN_TIME = 50;

/** From now on the functions of this thread see the time that a virtual clock shares. It never goes back. */
export function liveIn(shared: SharedArrayBuffer): void {
  const [clock, now] = [new Float64Array(shared), () => clock[0] as number];
  let [last, movedTo, movedAt] = [0, 0, 0];
  const virtualNow = () => {
    if (now() !== movedTo) [movedTo, movedAt] = [now(), SystemDate.now()];
    last = Math.max(last, movedTo + Math.min(SystemDate.now() - movedAt, MOST_OWN_TIME));
    return last;
  };
  globalThis.Date = new Proxy(SystemDate, {
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [virtualNow()] : given, newTarget),
    apply: (target) => new target(virtualNow()).toString(),
    get: (target, name, receiver) => (name === 'now' ? virtualNow : Reflect.get(target, name, receiver)),
  });
}
