import { synthesize } from '../local/synthesize.ts';

/** Milliseconds for `cdk synth` of stage local, cdk-nag included, into an empty folder. */
export async function runSynth(directory: string): Promise<number> {
  const begun = performance.now();
  await synthesize('local', directory);
  return performance.now() - begun;
}
