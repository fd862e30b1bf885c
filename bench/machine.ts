const TURNS = 500_000;

/** Milliseconds for a fixed loop, which measures the speed of the machine. */
export function runFixedLoop(): number {
  const begun = performance.now();
  let length = 0;
  for (let turn = 0; turn < TURNS; turn += 1) length += JSON.parse(JSON.stringify({ a: turn, b: `x${turn}` })).b.length;
  if (length === 0) throw new Error('The loop was left out.');
  return performance.now() - begun;
}
