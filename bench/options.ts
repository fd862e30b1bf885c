import { parseArgs } from 'node:util';

const ways = ['pool', 'sequence'] as const;

/** How much to measure. */
export interface BenchOptions {
  quick: boolean;
  /** Runs of the synth, the laptop and the plain script, which take long. */
  runs: number;
  importRuns: number;
  streamRuns: number;
  streamBytes: number;
  /** For each start of the laptop, the sizes of its batches of orders. */
  laptops: number[][];
  /** The size of the largest batch. It runs `runs` times, as long as there is time. */
  largest?: number;
  /** How many orders the plain script drives at once. It is one of the laptop's batch sizes. */
  plainOrders: number;
  /** How the plain script makes its calls. */
  plainBy: (typeof ways)[number][];
}

export const HELP = `npm run bench -- [--quick]

Measures the project on this machine. Prints a table, writes every run to bench/results.json, and draws the plots of
docs/performance.md, which explains the figures. Ends with exit code 1 if a count exceeds its bound. A time never fails it.

  --quick   fewer runs, fewer orders, smaller files and no plots: at most one minute instead of ten
`;

/** How long the whole bench may take. Milliseconds. */
export const LONGEST = 600_000;

const MEBIBYTE = 1024 * 1024;

const full: BenchOptions = {
  quick: false,
  runs: 3,
  importRuns: 7,
  streamRuns: 3,
  streamBytes: 1024 * MEBIBYTE,
  laptops: [[1, 100]],
  largest: 500,
  plainOrders: 100,
  plainBy: [...ways],
};

const quick: BenchOptions = {
  quick: true,
  runs: 1,
  importRuns: 1,
  streamRuns: 1,
  streamBytes: 128 * MEBIBYTE,
  laptops: [[20]],
  plainOrders: 20,
  plainBy: ['pool'],
};

/** Undefined if the user asked for help. Throws for an unknown option. */
export function readOptions(words?: string[]): BenchOptions | undefined {
  const options = { quick: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } } as const;
  const { values } = parseArgs({ options, ...(words && { args: words }) });
  if (values.help) return undefined;
  return values.quick ? quick : full;
}
