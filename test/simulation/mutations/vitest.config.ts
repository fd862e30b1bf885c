import { defineConfig } from 'vitest/config';
import type { Change } from './mutation.ts';

const changes: Change[] = JSON.parse(process.env.BROKEN_CODE ?? '[]');

/** Runs the table of `decide` with the changes in `BROKEN_CODE`. */
export default defineConfig({
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
  test: { include: ['test/unit/core/reading/decide.test.ts'], fsModuleCache: false },
});
