// `npm test` plays a sample of the random histories, kill points and property runs. `npm run test:all` plays all of them.

/** Whether everything is played: `npm run test:all` sets TEST_ALL=1. */
const PLAYS_ALL = process.env['TEST_ALL'] === '1';

/** Ends a test that would never end by itself. All histories of one kind may take an hour on a slow machine. */
export const LONGEST_TEST_MS = PLAYS_ALL ? 3_600_000 : 300_000;

/** Every `each`-th item, or all of them. */
export const sampled = <T>(items: readonly T[], each: number): readonly T[] =>
  PLAYS_ALL ? items : items.filter((_, index) => index % each === 0);

/** How many runs of a property are made, where `all` are made in a complete run and `sample` otherwise. */
export const runsOf = ({ all, sample }: { readonly all: number; readonly sample: number }): number =>
  PLAYS_ALL ? all : sample;
