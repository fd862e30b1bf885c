import type { RejectionProblem } from '../../core/staging/rejected-upload.ts';

/** What is wrong, and how to fix it. */
export function problemText({ path, problem, fix }: RejectionProblem): string {
  return `${path === undefined ? '' : `${path}: `}${problem} ${fix}`;
}
