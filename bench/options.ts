import { parseArgs } from 'node:util';

const ways = ['pool', 'sequence'] as const;

/** How much is measured. */
export interface BenchOptions {
  quick: boolean;
  /** Runs of what takes long: the synth, the laptop, the plain script. */
  runs: number;
  importRuns: number;
  streamRuns: number;
  streamBytes: number;
  /** For each start of the laptop: how many orders at once, batch after batch. */
  laptops: number[][];
  /** One more batch, the largest, driven as often as `runs` says, as long as it fits into the time. */
  largest?: number;
  /** How many orders at once the plain script drives; one of the laptop's batches. */
  plainOrders: number;
  /** How the plain script makes its calls. */
  plainBy: (typeof ways)[number][];
}

export const HELP = `npm run bench -- [--quick]

Measures the project on this machine: one table, the same in bench/results.json, and the plots of docs/performance.md, which says
what each figure means. Ends with exit code 1 when a count misses its bound; no time makes it fail.

  --quick   fewer runs, fewer orders and smaller files, no plots: at most a minute, where the whole takes up to ten
`;

/** Milliseconds that the whole bench may take. */
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

/** Undefined where help was asked for. Throws on a word that is no option. */
export function readOptions(words?: string[]): BenchOptions | undefined {
  const options = { quick: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } } as const;
  const { values } = parseArgs({ options, ...(words && { args: words }) });
  if (values.help) return undefined;
  return values.quick ? quick : full;
}
