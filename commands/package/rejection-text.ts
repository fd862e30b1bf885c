import type { RejectedUpload, RejectionProblem } from '../../core/people/rejected-upload.ts';

/** What is wrong, and how to fix it. */
export function problemText({ path, problem, fix }: RejectionProblem): string {
  return `${path === undefined ? '' : `${path}: `}${problem} ${fix}`;
}

/** The first problem in one line, and how many more there are. */
export function whyRejected({ problems: [first, ...others] }: Pick<RejectedUpload, 'problems'>): string {
  if (!first) return '';
  const more = others.length === 0 ? '' : ` And ${others.length} more.`;
  return `${first.path === undefined ? '' : `${first.path}: `}${first.problem}${more}`;
}
