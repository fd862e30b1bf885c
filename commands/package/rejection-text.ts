import type { RejectedUpload, RejectionProblem } from '../../core/people/rejected-upload.ts';

/** What is wrong, and how to fix it. */
export function problemText({ path, problem, fix }: RejectionProblem): string {
  return `${path === undefined ? '' : `${path}: `}${problem} ${fix}`;
}

/** Every problem in a line of its own, without its fix. */
export function whyRejected({ problems }: Pick<RejectedUpload, 'problems'>): string[] {
  return problems.map(({ path, problem }) => `${path === undefined ? '' : `${path}: `}${problem}`);
}
