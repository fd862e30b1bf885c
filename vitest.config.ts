import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/helpers/longest-first.ts';

export default defineConfig({
  test: {
    include: ['{test,packages/*/test,bank-exchange/test}/**/*.test.ts'],
    globalSetup: ['test/helpers/assembly.ts'],
    // Handlers that a test calls itself; the embedded AWS gives functions their own environment.
    // Programs that a test starts load faster with compiled code, which later runs find there too.
    env: { POWERTOOLS_LOG_LEVEL: 'SILENT', NODE_COMPILE_CACHE: `${import.meta.dirname}/node_modules/.cache/compiled` },
    // GitHub's linter of workflows imports JSON as only bundlers do.
    server: { deps: { inline: [/@actions\//] } },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A second, the default, is too short on a busy machine.
    expect: { poll: { timeout: 20_000, interval: 10 } },
    maxWorkers: Math.max(2, availableParallelism()),
    sequence: { sequencer: LongestFirst },
    // Files share a worker and its modules: to start one for each file, and to load the same again, took a fifth of the time.
    isolate: false,
    // Tests find what is deployed in the synthesized stack. No import tells `--changed` so.
    forceRerunTriggers: [...configDefaults.forceRerunTriggers, '**/{bin,core,functions,infra,statemachine}/**'],
  },
});
