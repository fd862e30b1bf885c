/** The time that functions of a thread see: the machine's, or that of a virtual clock. */
const SystemDate = globalThis.Date;

let timeOffset = 0;
let invokedAt = 0;

/**
 * A virtual clock stands still while a function works. The function's own time goes on, since there are limits that it keeps by it,
 * but slowly after the first moments: a slow machine must not bring it to its next appointment early. Milliseconds.
 */
const AT_FULL_SPEED = 50;
const SLOWNESS = 4;

function virtualNow(): number {
  const worked = SystemDate.now() - invokedAt;
  if (timeOffset === 0 || worked <= AT_FULL_SPEED) return invokedAt + timeOffset + worked;
  return invokedAt + timeOffset + AT_FULL_SPEED + Math.floor((worked - AT_FULL_SPEED) / SLOWNESS);
}

/** An invocation begins. In virtual time the function sees the time of the embedded AWS, as its waits and records are judged by it. */
export function beginTime(offset: number): void {
  timeOffset = offset;
  invokedAt = SystemDate.now();
  if (offset === 0 || globalThis.Date !== SystemDate) return;
  globalThis.Date = new Proxy(SystemDate, {
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [virtualNow()] : given, newTarget),
    apply: (target) => new target(virtualNow()).toString(),
    get: (target, name, receiver) => (name === 'now' ? virtualNow : Reflect.get(target, name, receiver)),
  });
}
