import { expect, test } from 'vitest';
import type { LinkConfig } from '../../../../src/app/config/link-config.ts';
import type { ConflictView, Run, WriteView } from '../../../../src/core/view/views.ts';
import { pageContext } from '../../../../src/daemon/console/layout.ts';
import type { Overview } from '../../../../src/daemon/console/overview.ts';
import { conflictsPage } from '../../../../src/daemon/console/pages/conflicts.ts';
import { linkPage } from '../../../../src/daemon/console/pages/links.ts';
import { contactsPage } from '../../../../src/daemon/console/pages/contacts.ts';
import { runPage } from '../../../../src/daemon/console/pages/runs.ts';
import type { LinkRecord } from '../../../../src/engine/history/link-record.ts';
import { createSessions } from '../../../../src/daemon/console/sessions.ts';
import type { LinkStatus } from '../../../../src/daemon/links/link-status.ts';
import { createVirtualClock } from '../../../support/clocks.ts';

const NOTHING_UNSYNCED = { refused: [], skipped: [], alone: [] } as unknown as LinkRecord;

const clock = createVirtualClock();
const context = () => {
  const session = createSessions(clock, () => 'secret').open({ link: null, isValid: () => true });
  return pageContext(session, clock.now());
};

const SIDES = {
  left: { name: 'google', title: 'Google', place: 'Google', provider: 'google' },
  right: { name: 'service', title: 'Service', place: 'the service', provider: 'service' },
};
const link = { name: 'work', sides: SIDES, direction: 'both', directions: {} } as unknown as LinkConfig;

const RUN: Run = {
  id: 'run-1',
  link: 'work',
  kind: 'incremental',
  undoes: null,
  outcome: 'completed',
  reason: null,
  startedAtMs: 1_000,
  endedAtMs: 2_000,
  wrote: null,
};

const writeOf = (write: number, name: string): WriteView => ({
  write,
  name,
  atMs: 1_500,
  run: RUN.id,
  kind: 'incremental',
  id: `r${write}`,
  state: 'done',
  error: null,
  side: 'right',
  action: 'update',
  leftId: `l${write}`,
  rightId: `r${write}`,
  fields: ['title'],
  changes: [],
  why: { kind: 'changed', at: 'left' },
});

const runPageOf = async (write: number | null, undone: ReadonlySet<number>) => {
  const all = [writeOf(1, 'Ada'), writeOf(2, 'Ben')].filter((each) => write === null || each.write === write);
  const parts = { write, undone, writes: { all }, shown: {}, undoing: null, tooOld: null, progress: null };
  return String(await runPage(context(), link, RUN, parts));
};

test('the page of a run offers the undo of each write, except of a write that was undone', async () => {
  const page = await runPageOf(null, new Set([1]));
  expect(page).not.toContain('of Ada</span>');
  expect(page).toContain('Undone</span>');
  expect(page).toContain('Undo only this<span class="skip"> of Ben</span>');
  expect(await runPageOf(1, new Set([1]))).toContain('This write was undone.');
  const other = await runPageOf(2, new Set([1]));
  expect(other).toContain('Preview undo');
  expect(other).toContain('Write 2 of run');
});

const accountsOf = async (status: Partial<LinkStatus>, contacts: Overview['contacts']): Promise<string> => {
  const nothing = { left: null, right: null };
  const record = { refused: [], skipped: [], alone: [], openConflicts: 0, failures: 0 };
  const view = {
    status: {
      ...record,
      link: 'work',
      sides: SIDES,
      state: 'active',
      reason: null,
      pausedByHandAtMs: null,
      nextRunAtMs: null,
      lastRun: RUN,
      budget: nothing,
      readAtMs: nothing,
      sweepAtMs: nothing,
      unselected: { left: 0, right: 0 },
      ...status,
    } as unknown as LinkStatus,
    progress: null,
  };
  const overview = {
    contacts,
    accounts: nothing,
  };
  const signedIn = { hasToken: true, way: { kind: 'password' }, consent: null } as const;
  const signIns = { sides: { left: signedIn, right: signedIn }, canReturn: true };
  const page = String(await linkPage(context(), link, view, { overview, signIns, planning: null, report: null }));
  return page.slice(page.indexOf('class="accounts"'));
};

test('the accounts of a link in sync state why one side has more contacts than are linked', async () => {
  const accounts = await accountsOf({ pairs: 46, unselected: { left: 0, right: 13 } }, { left: 46, right: 60 });
  expect(accounts).toContain('46 linked, 13 not selected, 1 not linked');
  expect(accounts.match(/linked/gu)).toHaveLength(2);
  expect(await accountsOf({ pairs: 46 }, { left: 46, right: 46 })).not.toContain('linked');
});

test('a conflict shows when each side changed the contact, where the side reports it', async () => {
  const conflict: ConflictView = {
    id: 1,
    run: RUN.id,
    leftId: 'l1',
    rightId: 'r1',
    field: 'title',
    left: 'Baker',
    right: 'Brewer',
    winner: 'right',
    name: 'Ada',
    state: 'settled',
    by: 'newer edit',
    atMs: Date.UTC(2026, 0, 3),
    choices: ['left'],
    changedAtMs: { left: Date.UTC(2026, 0, 1, 8, 30), right: null },
  };
  const page = String(await conflictsPage(context(), link, { conflicts: [conflict], all: false, find: '' }));
  expect(page).toContain('2026-01-01 08:30:00 UTC');
  expect(page.match(/Contact changed/gu)).toHaveLength(1);
});

test('a row of the search results has the email address of the contact', async () => {
  const found = ['ada@example.org', null].map((email, index) => ({
    id: `people/c${index}`,
    name: 'Ada Lovelace',
    email,
    sides: ['left'] as const,
  }));
  const page = String(await contactsPage(context(), link, { text: 'ada', found, record: NOTHING_UNSYNCED }));
  expect(page).toContain('<td data-label="Email address">ada@example.org</td>');
  expect(page).toContain('<td data-label="Email address"></td>');
});

test('contacts without a search text are those that are not synced, with the reason', async () => {
  const ids = { leftId: 'people/c1', rightId: 'contact_1' };
  const refused = [{ ...ids, name: 'Ada', side: 'right', reason: 'is too long', attempts: 1, retryAtMs: 0 }];
  const skipped = [{ leftId: 'people/c2', rightId: 'contact_2', name: null, side: 'left', reason: 'no value' }];
  const record = { ...NOTHING_UNSYNCED, refused, skipped } as unknown as LinkRecord;
  const page = String(await contactsPage(context(), link, { text: '', found: [], record }));
  expect(page).toContain('href="/links/work/contact?id=people%2Fc1">Ada</a>');
  expect(page).toContain('refused: is too long');
  expect(page).toContain('people/c2 / contact_2');
  expect(page).toContain('skipped: no value');
});
