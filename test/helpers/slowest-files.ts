import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** The number of files listed. */
const LISTED = 10;

/** Lists the slowest test files at the end of a run. */
export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => {
      const { collectDuration, duration, setupDuration, prepareDuration } = module.diagnostic();
      return {
        name: relative('.', module.moduleId),
        time: collectDuration + duration + setupDuration + prepareDuration,
      };
    });
    const slowest = files.toSorted((one, other) => other.time - one.time).slice(0, LISTED);
    const lines = slowest.map(({ name, time }) => `${(time / 1000).toFixed(1).padStart(7)} s  ${name}`);
    process.stdout.write(`\nThe slowest files:\n${lines.join('\n')}\n`);
  }
}
