import { type Evidence, recordOf } from './evidence.ts';

/**
 * Every `decision.json` that was uploaded is a line of the timeline, so none disappears without a word. An order whose event was lost, or
 * whose function was killed or failed between the record and its line, is not checked.
 */
export function decisionProblems(evidence: Evidence): string[] {
  const { plan, acts, items } = evidence;
  const mayLack = plan.events.lost !== undefined || plan.kills.length > 0 || plan.awsFaults.length > 0 || plan.badDay;
  if (mayLack || recordOf(evidence)?.removal) return [];
  const told = new Set(items.map(({ file }) => file));
  return acts.decisions.flatMap((version, at) =>
    told.has(version) ? [] : [`decision ${at + 1} of ${acts.decisions.length} is in no line of its timeline`],
  );
}
