import type { Reporter, TestModule, TestSpecification } from 'vitest/node';

/**
 * Prints the files with skipped tests, and `N passed, N failed` on the last line, which the continuous
 * integration parses.
 */
export const countReporter: Reporter = {
  // Vitest stores results by a hash of the file's name. A failure would be lost where two files have one hash.
  onTestRunStart(specifications) {
    const alike = Map.groupBy(specifications, ({ taskId }) => taskId).values();
    const namesakes = [...alike].filter((files) => files.length > 1).map(namesOf);
    if (namesakes.length === 0) return;
    throw new Error(`Rename one of these test files, which Vitest takes for one: ${namesakes.join('; ')}.`);
  },
  onTestRunEnd(modules, unhandledErrors) {
    const passed = count(modules, 'passed');
    const failed = count(modules, 'failed') + modules.filter(brokeOutsideTests).length + unhandledErrors.length;
    process.stdout.write(`\n${skippedLine(modules)}${passed} passed, ${failed} failed\n`);
  },
};

const namesOf = (files: readonly TestSpecification[]): string => files.map(({ moduleId }) => moduleId).join(' and ');

const skippedLine = (modules: readonly TestModule[]): string => {
  const skipping = modules.filter((module) => count([module], 'skipped') > 0);
  if (skipping.length === 0) return '';
  const files = skipping.map(({ relativeModuleId }) => relativeModuleId).join(', ');
  return `${count(skipping, 'skipped')} skipped, because a program is missing (see test/README.md): ${files}\n`;
};

const count = (modules: readonly TestModule[], state: 'passed' | 'failed' | 'skipped'): number =>
  modules.reduce((sum, module) => sum + [...module.children.allTests(state)].length, 0);

/** Whether a file could not be loaded, or a hook failed. */
const brokeOutsideTests = (module: TestModule): boolean => module.errors().length > 0;
