import { expect, test } from 'vitest';
import type { LinkConfig } from '../../../../src/app/config/link-config.ts';
import type { LinkRecord } from '../../../../src/engine/history/link-record.ts';
import { pageContext } from '../../../../src/daemon/console/layout.ts';
import { leftOutPage } from '../../../../src/daemon/console/pages/left-out.ts';
import { createSessions } from '../../../../src/daemon/console/sessions.ts';
import { createVirtualClock } from '../../../support/clocks.ts';

const IN_SYNC = 'Every linked contact is in sync.';

const EMPTY = {
  pairs: 407,
  openConflicts: 0,
  refused: [],
  skipped: [],
  alone: [],
  setApart: [],
  lastRun: { outcome: 'completed' },
} as unknown as LinkRecord;
const HEALTHY = { state: 'active', pausedByHandAtMs: null } as const;

const pageOf = async (record: Partial<LinkRecord>, health: Partial<Parameters<typeof leftOutPage>[2]['health']>) => {
  const clock = createVirtualClock();
  const session = createSessions(clock, () => 'secret').open({ link: null, isValid: () => true });
  const of = { record: { ...EMPTY, ...record }, health: { ...HEALTHY, ...health }, find: '' };
  return String(await leftOutPage(pageContext(session, false, clock.now()), { name: 'work' } as LinkConfig, of));
};

test.each<[string, Parameters<typeof pageOf>]>([
  ['whose deletions are halted', [{}, { state: 'halted' }]],
  ['whose sign-in has expired', [{}, { state: 'paused' }]],
  ['that is paused by hand', [{}, { pausedByHandAtMs: 1 }]],
  ['without a linked contact', [{ pairs: 0 }, {}]],
  ['without a run', [{ lastRun: null }, {}]],
  ['whose last run failed', [{ lastRun: { ...EMPTY.lastRun, outcome: 'failed' } as LinkRecord['lastRun'] }, {}]],
  ['with a conflict to review', [{ openConflicts: 1 }, {}]],
])('the page does not report a link %s as in sync', async (_, parts) => {
  expect(await pageOf(...parts)).not.toContain(IN_SYNC);
});

test('the page reports an active link whose last run completed as in sync', async () => {
  expect(await pageOf({}, {})).toContain(IN_SYNC);
});
