import type { Reporter, TestModule } from 'vitest/node';

/** Prints `N passed, N failed` alone on the last line, the form that the continuous integration reads. */
export const countReporter: Reporter = {
  onTestRunEnd(modules, unhandledErrors) {
    const passed = count(modules, 'passed');
    const failed = count(modules, 'failed') + modules.filter(brokeOutsideTests).length + unhandledErrors.length;
    process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  },
};

const count = (modules: readonly TestModule[], state: 'passed' | 'failed'): number =>
  modules.reduce((sum, module) => sum + [...module.children.allTests(state)].length, 0);

/** A file that could not be loaded, or whose hooks failed, has errors of its own. */
const brokeOutsideTests = (module: TestModule): boolean => module.errors().length > 0;
