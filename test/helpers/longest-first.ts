import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** It waits for npm most of the time. */
const LONGEST = join('e2e', 'package.test.ts');
const FOLDERS = ['simulation', 'workflow', 'e2e', 'infra'];

/** Without the times of an earlier run, Vitest begins with the largest files, and the longest ones are small. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => this.#rank(one) - this.#rank(other));
  }

  #rank({ moduleId }: TestSpecification): number {
    const path = relative(`${this.ctx.config.root}/test`, moduleId);
    if (path === LONGEST) return -1;
    const folder = path.split('/')[0] ?? '';
    const rank = FOLDERS.indexOf(folder);
    return rank === -1 ? FOLDERS.length : rank;
  }
}
