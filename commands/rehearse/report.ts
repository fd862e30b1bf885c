import { type Finding, MARKS } from '../doctor/finding.ts';
import { columns, some } from '../shared/text.ts';

/** Patterns that identify an account, and their replacements. */
const IDENTIFIERS: [RegExp, string][] = [
  [/arn:aws[a-z-]*:[^\s,;)"']+/g, '<arn>'],
  [/https?:\/\/[^\s,;)"']*[^\s,;)"'.:]/g, '<address>'],
  [/\b(AKIA|ASIA)[A-Z0-9]{12,}\b/g, '<access key>'],
  [/\b\d{12}\b/g, '<account>'],
];

/** The report's lines. They can be shown to anybody. */
export function reportLines(title: string, findings: Finding[]): string[] {
  const count = (state: Finding['state']) => findings.filter((one) => one.state === state).length;
  const rows = findings.map(({ state, check, message }) => [MARKS[state], check, withoutIdentifiers(message)]);
  const counts = `${some(count('ok'), 'check')} held, ${count('problem')} differed, ${count('not checked')} could not be checked.`;
  return [title, ...columns(rows), counts];
}

export function withoutIdentifiers(text: string): string {
  return IDENTIFIERS.reduce((left, [found, instead]) => left.replaceAll(found, instead), text);
}
