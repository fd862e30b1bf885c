import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { provideAssembly } from '../../../laptop/assembly.ts';
import { simulateExchange } from './simulate-exchange.ts';

const { values } = parseArgs({ options: { seed: { type: 'string' } } });
const seed = values.seed ?? new Date().toISOString().slice(0, 10);
const directory = await mkdtemp(join(tmpdir(), 'exchange-simulation-'));
try {
  await provideAssembly('local', directory, { context: { legacy: 'alone' } });
  const begun = performance.now();
  const { injected, operated, outcomes, violations } = await simulateExchange(seed, directory);
  const tables = { Faults: injected, 'What operators did': operated, 'What arrived': outcomes };
  for (const [heading, tally] of Object.entries(tables)) console.log(tally.table(heading));
  for (const violation of violations) console.log(`  ${violation}`);
  const seconds = ((performance.now() - begun) / 1000).toFixed(0);
  console.log(`bank exchange, seed ${seed}: ${violations.length} violations, ${seconds} s`);
  if (violations.length > 0) process.exitCode = 1;
} finally {
  await rm(directory, { recursive: true, force: true });
}
