import '../bin/compile-cache.ts';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalAws } from '@business-loan-orders/embedded-aws';
import { announceLaptop } from '../commands/shared/laptops.ts';
import { REHEARSAL_STAGE } from '../infra/stage-folder.ts';
import { provideAssembly } from './assembly.ts';

/** Runs the stacks of a rehearsal until it is ended. Reports to commands/rehearse/deploy.ts when they are ready. */
async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'loan-orders-'));
  try {
    await provideAssembly(REHEARSAL_STAGE, directory);
    // As on the laptop: enough for a person.
    const aws = await startLocalAws({ assemblyDirectory: directory, lambdaConcurrency: 2, lambdaThreads: 1 });
    const forget = announceLaptop(aws.endpoint, { name: REHEARSAL_STAGE });
    process.send?.({ endpoint: aws.endpoint });
    await Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
    forget();
    await aws.close();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

await main().catch((error: Error) => {
  process.send?.({ error: error.message });
  process.exitCode = 1;
});
