import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Finding, finding } from '../doctor/finding.ts';
import { runNode } from '../shared/project.ts';
import { Refusal } from '../shared/text.ts';
import type { Rehearsal } from './rehearsal.ts';

const TABLE = new URL('../../test/conformance/main.ts', import.meta.url);
const SUMMARY = /^(\d+) cases, (\d+) problems$/m;

export async function conformance({ place, say }: Rehearsal): Promise<Finding[]> {
  if (!existsSync(TABLE)) throw new Refusal('The conformance table is in a checkout of the project only.');
  say('Running the conformance table …');
  const engine = place.local ? 'embedded' : 'aws';
  const { output } = await runNode([fileURLToPath(TABLE), '--engine', engine], ['ignore', 'pipe', 2]);
  const summary = SUMMARY.exec(output);
  if (!summary) throw new Refusal(`The conformance table did not run to its end. ${output.trim().slice(-300)}`);
  const problems = output.slice(summary.index).trim().split('\n').slice(1);
  return [
    finding('conformance', problems.length === 0, `${summary[0]} (${engine}).`),
    ...problems.map((message) => finding('conformance', false, message)),
  ];
}
