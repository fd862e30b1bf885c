import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders of tests, those whose files take longest first. */
const FOLDERS = ['simulation', 'workflow', 'e2e', 'infra'];

/**
 * Begins with the folders whose files take longest, so that no worker ends long before the others. Without the times of an earlier
 * run, Vitest begins with the largest files, and the longest ones are small.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => this.#rank(one) - this.#rank(other));
  }

  #rank({ moduleId }: TestSpecification): number {
    const folder = relative(`${this.ctx.config.root}/test`, moduleId).split('/')[0] ?? '';
    const rank = FOLDERS.indexOf(folder);
    return rank === -1 ? FOLDERS.length : rank;
  }
}
