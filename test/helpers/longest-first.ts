import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The first waits for npm most of the time. */
const FIRST = ['e2e/package.test.ts', 'simulation/', 'workflow/', 'e2e/', 'infra/', ''];
const rank = ({ moduleId }: TestSpecification) => FIRST.findIndex((one) => moduleId.includes(`/test/${one}`));

/** Without the times of an earlier run, Vitest begins with the largest files, and the longest ones are small. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => rank(one) - rank(other));
  }
}
