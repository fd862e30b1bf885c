import { defineConfig } from 'vitest/config';

/** The tests of the console in Debian's Chromium. They need the browser, so `npm test` leaves them out. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.browser.ts'],
    globalSetup: ['test/helpers/assembly.ts'],
    env: { POWERTOOLS_LOG_LEVEL: 'SILENT' },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // As long as the driver of the browser waits, so that no test asserts how fast a machine is.
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    isolate: false,
  },
});
