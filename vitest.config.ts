import { defineConfig } from 'vitest/config';
import { countReporter } from './test/support/count-reporter.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default', countReporter],
  },
});
