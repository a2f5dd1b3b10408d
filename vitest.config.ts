import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { countReporter } from './test/support/count-reporter.ts';
import { LONGEST_TEST_MS, PLAYS_ALL } from './test/support/extent.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { shareCompiledModules } from './test/support/program.ts';

shareCompiledModules();

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: PLAYS_ALL ? [] : ['test/**/*.long.test.ts'],
    pool: 'forks',
    // Files share the modules of their worker: loading the sources for each file took longer than most tests.
    isolate: false,
    // Many tests wait for a process or a server.
    maxWorkers: 2 + availableParallelism(),
    sequence: { sequencer: LongestFirst },
    // No test depends on how long something takes. The limits only end a test that will never end by itself.
    testTimeout: LONGEST_TEST_MS,
    hookTimeout: LONGEST_TEST_MS,
    expect: { poll: { timeout: LONGEST_TEST_MS } },
    reporters: ['minimal', countReporter],
  },
});
