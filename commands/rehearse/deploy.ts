import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type Finding, finding } from '../doctor/finding.ts';
import { runningRehearsal } from '../shared/laptops.ts';
import { runCdk } from '../shared/project.ts';
import { Refusal } from '../shared/text.ts';
import { type Rehearsal, stacksOf } from './rehearsal.ts';

/** The CDK cannot deploy to an embedded AWS, so on this machine another process runs the same assembly. */
export async function deploy(rehearsal: Rehearsal): Promise<Finding[]> {
  return [finding('deploy', true, await (rehearsal.place.local ? startEmbedded : deployToAws)(rehearsal))];
}

async function deployToAws({ place, say }: Rehearsal): Promise<string> {
  const stacks = await stacksOf(place);
  say(`Deploying ${stacks.join(', ')} …`);
  const unasked = ['--require-approval', 'never', '--progress', 'events'];
  const code = await runCdk('deploy', place.stage, unasked, ['ignore', 2, 2]);
  if (code === 0) return `cdk deploy created ${stacks.length} stacks.`;
  throw new Refusal(
    'cdk deploy failed; its output says why. An account and region need "loan-orders bootstrap rehearsal" once (docs/deployment.md).',
  );
}

async function startEmbedded({ place, say }: Rehearsal): Promise<string> {
  if (place.endpoint !== undefined)
    throw new Refusal('--endpoint names an embedded AWS that is deployed: leave it out.');
  const before = await runningRehearsal();
  if (before) return `The embedded AWS runs already, as process ${before.pid}.`;
  say('Synthesizing the stacks, and starting them in an embedded AWS …');
  // It keeps running after this command, like a deployment.
  const child = fork(new URL('../../laptop/rehearsal.ts', import.meta.url), { detached: true, stdio: 'ignore' });
  const ended = once(child, 'exit').then(([code]) => [{ error: `it ended with exit code ${code}` }]);
  // The report of laptop/rehearsal.ts.
  const [{ error }] = (await Promise.race([once(child, 'message'), ended])) as [{ endpoint: string; error?: string }];
  if (child.connected) child.disconnect();
  child.unref();
  if (error !== undefined) throw new Refusal(`The embedded AWS did not start: ${error}`);
  return `The assembly of ${(await stacksOf(place)).length} stacks runs in an embedded AWS, as process ${child.pid}.`;
}
