import { defineConfig } from 'vitest/config';
import type { Change } from './mutation.ts';

const broken: Change[][] = JSON.parse(process.env.BROKEN_CODE ?? '[]');

/** Runs the table of `decide` once for each list of changes in `BROKEN_CODE`. */
export default defineConfig({
  test: {
    projects: broken.map((changes, number) => ({
      plugins: [
        {
          name: 'broken-code',
          enforce: 'pre',
          transform(code, id) {
            const change = changes.find(({ file }) => id.endsWith(`/${file}`));
            return change && code.replace(change.text, () => change.instead);
          },
        },
      ],
      test: { name: `broken-${number}`, include: ['test/unit/core/reading/decide.test.ts'], fsModuleCache: false },
    })),
  },
});
