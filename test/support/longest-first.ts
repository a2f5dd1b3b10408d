import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that run longest, in a complete run for minutes. A new checkout has no times, so Vitest would start the largest files
 * first, and these are short.
 */
const LONGEST = [
  'simulation/carddav-radicale',
  'simulation/hard-histories',
  'contract/carddav-remote',
  'contract/service-remote',
  'contract/google-remote',
  'integration/sandbox/variants',
  'simulation/kill-points-',
  'simulation/histories-',
  'simulation/flaws',
  'simulation/regressions-',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const found = LONGEST.findIndex((name) => moduleId.includes(`/test/${name}`));
  return found === -1 ? LONGEST.length : found;
};

/** Starts the longest files first, so that no worker is still busy with one when the others have ended. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, another) => rank(one) - rank(another));
  }
}
