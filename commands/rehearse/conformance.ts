import { type Finding, finding } from '../doctor/finding.ts';
import { Refusal } from '../shared/text.ts';
import { type Rehearsal, runScript } from './rehearsal.ts';

const SUMMARY = /^(\d+) cases, (\d+) problems$/m;

export async function conformance({ place, say }: Rehearsal): Promise<Finding[]> {
  say('Running the conformance table …');
  const engine = place.local ? 'embedded' : 'aws';
  const { output } = await runScript(['test/conformance/main.ts', '--engine', engine], { keep: true });
  const summary = SUMMARY.exec(output);
  if (!summary) throw new Refusal(`The conformance table did not run to its end. ${output.trim().slice(-300)}`);
  const problems = output.slice(summary.index).trim().split('\n').slice(1);
  return [
    finding('conformance', problems.length === 0, `${summary[0]} (${engine}).`),
    ...problems.map((message) => finding('conformance', false, message)),
  ];
}
