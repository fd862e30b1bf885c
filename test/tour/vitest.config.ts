import { defineConfig } from 'vitest/config';

/** Runs the tour of docs/laptop.md in terminals of tmux. Each step needs those before it. */
export default defineConfig({
  test: {
    include: ['test/tour/*.test.ts'],
    root: new URL('../../', import.meta.url).pathname,
    bail: 1,
    hookTimeout: 120_000,
  },
});
