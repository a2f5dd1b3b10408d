// `npm test` plays a sample of the random histories, kill points and property runs. `npm run test:all` plays all of them.

/** Whether all suites are complete, with `*.long.test.ts`: `npm run test:all` sets TEST_ALL=1. */
export const PLAYS_ALL = process.env['TEST_ALL'] === '1';

/** The time limit of a test that hangs. All histories of one kind may take an hour on a slow machine. */
export const LONGEST_TEST_MS = PLAYS_ALL ? 3_600_000 : 300_000;

/** Every `each`-th item from `first` on, or all items in a complete run. */
export const sampled = <T>(items: readonly T[], each: number, first = 0): readonly T[] =>
  PLAYS_ALL ? items : items.filter((_, index) => index % each === first % each);

/** Declares tests that only a complete run contains. */
export const inCompleteRun = (declare: () => void): void => {
  if (PLAYS_ALL) declare();
};

/** `all` in a complete run, `sample` in `npm test`. */
export const extentOf = ({ all, sample }: { readonly all: number; readonly sample: number }): number =>
  PLAYS_ALL ? all : sample;

/** Prints the extent of a test in a complete run. The output of `npm test` is failures and a summary. */
export const reportExtent = (line: string): void => {
  if (PLAYS_ALL) process.stdout.write(`${line}\n`);
};
