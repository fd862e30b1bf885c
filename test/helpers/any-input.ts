import fc from 'fast-check';
import { expect } from 'vitest';

/** Makes failures repeatable. */
const seed = 21;
/** Microseconds of this thread's CPU time, which does not depend on what else the machine does. No input may take a function longer. */
const LONGEST = 1_000_000;

/** Checks a property for this many cases, and that each case is fast enough. */
export async function holds<Value>(
  arbitrary: fc.Arbitrary<Value>,
  numRuns: number,
  check: (value: Value) => void | Promise<void>,
): Promise<void> {
  const timed = async (value: Value) => {
    const before = process.threadCpuUsage();
    await check(value);
    const { user, system } = process.threadCpuUsage(before);
    expect(user + system).toBeLessThan(LONGEST);
  };
  await fc.assert(fc.asyncProperty(arbitrary, timed), { seed, numRuns });
}

/** Any code point. fast-check's own unit `binary` would first make a list of all of them, which takes half a second. */
const character = fc.integer({ min: 0, max: 0x10_ff_ff }).map((point) => String.fromCodePoint(point));

const inPaths = ['.', '..', '../x', 'a/b', '%', '%2F'];

/** Strings of any characters, including lone surrogates and characters with a meaning in paths and keys. */
export const text = fc.oneof(
  fc.string({ unit: character, maxLength: 40 }),
  fc.constantFrom(...inPaths, '', '\uD800', '"\\', '\u0000', 'Ы'.repeat(200), 'x'.repeat(2000)),
);

export const json = fc.oneof(
  { depthSize: 'small' },
  fc.jsonValue({ stringUnit: character, maxDepth: 4 }),
  fc.constantFrom<unknown>(null, [], {}, [null], -0, 1e308, '1e3', true),
);

export const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  json.map((value) => Buffer.from(JSON.stringify(value) ?? '')),
);

/** JSON of this shape in which any property may be anything or missing. The higher `weight`, the fewer are. */
export function disturbed<Shape extends object>(
  shape: { [Name in keyof Shape]: fc.Arbitrary<unknown> },
  weight = 4,
): fc.Arbitrary<Record<string, unknown>> {
  const members = Object.fromEntries(
    Object.entries<fc.Arbitrary<unknown>>(shape).map(([name, value]) => [
      name,
      fc.oneof({ weight, arbitrary: value }, json),
    ]),
  );
  return fc.record(members, { requiredKeys: [] });
}
