import { synthesize } from '../laptop/synthesize.ts';

/** Milliseconds of `cdk synth` for stage local, including cdk-nag, to an empty folder. */
export async function runSynth(directory: string): Promise<number> {
  const begun = performance.now();
  await synthesize('local', directory);
  return performance.now() - begun;
}
