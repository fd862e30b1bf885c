import type { RejectedUpload, RejectionProblem } from '../../core/staging/rejected-upload.ts';
import type { LocalPackage } from './local-package.ts';
import { coloured, plain, some } from './text.ts';

export function problemText({ path, problem, fix }: RejectionProblem): string {
  return `${path === undefined ? '' : `${path}: `}${problem} ${fix}`;
}

export function problemLines({
  folder,
  problems,
}: Pick<LocalPackage, 'folder'> & Pick<RejectedUpload, 'problems'>): string[] {
  return [
    coloured('bad', `${folder} has ${some(problems.length, 'problem')}:`),
    ...problems.map((problem) => `  ${plain(problemText(problem))}`),
  ];
}
