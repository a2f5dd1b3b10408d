import { expect, test } from 'vitest';
import { jobState } from '../../../../src/daemon/jobs/job.ts';

const COUNTS = { pulled: 1, created: 0, updated: 0, deleted: 0, groupsDeleted: 0, requests: 2 };
const FACTS = {
  link: 'a',
  run: 'r1',
  kind: 'full',
  outcome: 'completed',
  reason: null,
  paired: 0,
  conflicts: 0,
  skipped: 0,
  durationMs: 5,
};
const COME = { listed: 3, total: null, planned: 1, written: 0, leftMs: 4_000 };

test('the stored state of a job is read back unchanged', () => {
  const state = {
    progress: { sides: { left: COME, right: COME } },
    report: { ending: 'completed', message: null, summary: { ...FACTS, left: COUNTS, right: COUNTS } },
  };
  expect(jobState.parse(state)).toEqual(state);
});

test('a report whose counts have another format still contains the outcome of the job', () => {
  const state = {
    progress: { sides: { google: COME, service: COME } },
    report: { ending: 'halted', message: 'Too many.', summary: { ...FACTS, google: COUNTS, service: COUNTS } },
  };
  expect(jobState.parse(state)).toEqual({
    progress: null,
    report: { ending: 'halted', message: 'Too many.', summary: null },
  });
});
