import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that run longest, in a complete run for minutes. A new checkout has no times, and these files are short. */
const LONGEST = ['/hard-histories', '/kill-points-', '/histories-', '/flaws.', '/regressions-'];

const rank = ({ moduleId }: TestSpecification): number => {
  const found = LONGEST.findIndex((name) => moduleId.includes(`/simulation${name}`));
  return found === -1 ? LONGEST.length : found;
};

/** Starts the longest files first, so that no worker is still busy with one when the others have ended. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, another) => rank(one) - rank(another));
  }
}
