import { expect, test } from 'vitest';
import type { LinkConfig } from '../../../../src/app/config/link-config.ts';
import { bySide } from '../../../../src/core/contact/side.ts';
import { FIRST_SYNC, sameAccounts } from '../../../../src/core/reconcile/guard.ts';
import type { ChangeFilter } from '../../../../src/core/view/changes.ts';
import type { Run, WriteView } from '../../../../src/core/view/views.ts';
import type { Overview } from '../../../../src/daemon/console/overview.ts';
import { linkPage, linksPage, type LinkView } from '../../../../src/daemon/console/pages/links.ts';
import { planPage } from '../../../../src/daemon/console/pages/plan.ts';
import type { PlanView } from '../../../../src/daemon/console/plans.ts';
import { contactsPage, type ContactsView } from '../../../../src/daemon/console/pages/contacts.ts';
import { runPage, runsPage } from '../../../../src/daemon/console/pages/runs.ts';
import { createSessions } from '../../../../src/daemon/console/sessions.ts';
import type { JobReport } from '../../../../src/daemon/jobs/job.ts';
import type { LinkStatus } from '../../../../src/daemon/links/link-status.ts';
import { createVirtualClock } from '../../../support/clocks.ts';
import { statusOf } from '../../../support/run-words.ts';
import { SIDE_WORDS } from '../../../support/side-words.ts';

const clock = createVirtualClock();
const context = () => ({
  session: createSessions(clock, () => 'secret').open({ link: null, isValid: () => true }),
  nowMs: clock.now(),
});

const SIDES = bySide((side) => ({ ...SIDE_WORDS[side], provider: SIDE_WORDS[side].name, token: null }));
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

const textOf = (page: string): string => page.replaceAll(/<[^>]+>|\s+/gu, ' ').replaceAll(/ +/gu, ' ');

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

const PARTS = { write: null, undoing: null, tooOld: null, progress: null, shown: {} };

const runPageOf = async (write: number | null) => {
  const all = [writeOf(1, 'Ada'), writeOf(2, 'Ben')].filter((each) => write === null || each.write === write);
  return String(await runPage(context(), link, RUN, { ...PARTS, write, writes: { all } }));
};

test('the page of a run offers the undo of each write', async () => {
  const page = await runPageOf(null);
  expect(page).toContain('Undo only this<span class="skip"> of Ben</span>');
  const other = await runPageOf(2);
  expect(other).toContain('Preview undo');
  expect(other).toContain('Write 2 of run');
});

test('an undo that left something out can be repeated on the page', async () => {
  const reason = 'the outcome of a write to it is not known yet; repeat the undo after a later run';
  const left = { side: 'right', leftId: 'l1', rightId: 'r1', name: 'Ada', field: null, reason } as const;
  const pageOf = async (refused: readonly (typeof left)[]): Promise<string> => {
    const report = { actions: [], refused };
    const undoing = { run: RUN.id, write: null, state: 'undone', report, message: 'Undone.', by: 'undo' } as const;
    return String(await runPage(context(), link, RUN, { ...PARTS, undoing, writes: { all: [writeOf(1, 'Ada')] } }));
  };
  expect(await pageOf([left])).toContain('action="/links/work/runs/run-1/preview"');
  expect(await pageOf([])).not.toContain('/preview"');
});

test('what an undo left out is listed with names, and the number of what the list leaves out is shown', async () => {
  const reason = 'changed since';
  const refused = Array.from({ length: 203 }, (_, at) => ({
    ...({ side: 'right', leftId: `l${at}`, rightId: `r${at}`, field: null, reason } as const),
    name: at === 0 ? 'Ada Lind' : null,
  }));
  const report = { actions: [], refused };
  const undoing = { run: RUN.id, write: null, state: 'previewed', report, halt: null } as const;
  const page = await runPage(context(), link, RUN, { ...PARTS, undoing, writes: { all: [writeOf(1, 'Ada')] } });
  expect(String(page)).toContain('<td>Ada Lind</td>');
  expect(textOf(String(page))).toMatch(/Not undone: 203\b.* And 3 more/u);
});

test('the numbers of a list count contacts, also if it is filtered', async () => {
  const created = { ...writeOf(1, 'Ada'), action: 'create' } as WriteView;
  const updates = [...Array.from({ length: 8 }, (_, index) => writeOf(index + 2, 'Ben')), writeOf(1, 'Ada')];
  const numbersOf = async (shown: ChangeFilter): Promise<readonly string[]> => {
    const page = await runPage(context(), link, RUN, { ...PARTS, writes: { all: [created, ...updates] }, shown });
    return String(page).match(/Updates: \d+|Show \d+ more/gu) ?? [];
  };
  expect(await numbersOf({})).toEqual(['Updates: 8', 'Show 3 more']);
  expect(await numbersOf({ only: 'updates' })).toEqual(['Updates: 8', 'Show 3 more']);
});

test('a run that only wrote groups is not listed as one without changes', async () => {
  const none = { created: 0, updated: 0, deleted: 0, groupsChanged: 0, groupsDeleted: 0 };
  const runs = [{ ...RUN, wrote: { left: { ...none, groupsChanged: 2, groupsDeleted: 1 }, right: none } }];
  const listed = { runs, kind: null, outcome: null, isPast: false, hasOlder: false };
  expect(textOf(String(await runsPage(context(), link, listed)))).toContain(
    'Google: 2 labels or buckets created or renamed, 1 label or bucket deleted',
  );
});

test('refused writes that a page does not show are mentioned', async () => {
  const all = Array.from({ length: 103 }, (_, index) => ({ ...writeOf(index, 'Ann'), state: 'failed' }) as const);
  expect(String(await runPage(context(), link, RUN, { ...PARTS, writes: { all } }))).toContain('And 3 more: use the');
});

test('the page of a large run counts writes', async () => {
  const sections = [{ changeKind: 'updates', total: 400, writes: [writeOf(1, 'Ada')], next: null }] as const;
  const page = await runPage(context(), link, RUN, { ...PARTS, writes: { total: 400, sections } });
  expect(String(page)).toContain('Updates: 400 writes</h2>');
});

/** The text of the review of a first sync. */
const reviewOf = async (parts: Partial<PlanView>): Promise<string> => {
  const none = { atMs: 0, unpaired: [], contacts: new Map(), lastRun: null, digest: '', changes: [], unsynced: [] };
  const estimate = { requests: { left: 0, right: 0 }, durationMs: 0 };
  const view = { ...none, kind: 'full', estimate, halt: 'It waits.', destroys: false, ...parts } as const;
  const planning = { state: 'planned', view, note: null } as const;
  return textOf(String(await planPage(context(), link, { planning, progress: null, verdicts: [], shown: {} })));
};

test('a review lists the fields that are not synced, with the custom fields', async () => {
  const unsynced = [
    { field: 'notes', contacts: null },
    { field: 'middleName', contacts: 12 },
  ] as const;
  expect(await reviewOf({ unsynced })).toContain(
    '3 fields of the contacts are not synced middle name (12 contacts) notes custom fields ',
  );
});

test('a review asks for decisions about matches only if there are possible matches', async () => {
  const decide = 'Decide the possible matches below first.';
  const candidates = { left: [{ id: 'l', name: 'Ada' }], right: [{ id: 'r', name: 'Ada' }], why: 'same name' } as const;
  expect(await reviewOf({ unpaired: [candidates] })).toContain(decide);
  expect(await reviewOf({})).not.toContain(decide);
});

test('[R8] a label that was deleted by mistake can be restored on the page, like contacts, if its side is written', async () => {
  const why = { kind: 'deleted', at: 'left' } as const;
  const label = { side: 'right', action: 'delete-group', name: 'Clients', changes: [], why } as const;
  const halt = 'The run would delete groups with 50 members at the service.';
  const of = { kind: 'incremental', halt, destroys: true } as const;
  expect(await reviewOf({ ...of, changes: [label] })).toContain(' Restore 1 label or bucket at Google ');
  expect(await reviewOf({ ...of, changes: [{ ...label, side: 'left' }] })).toContain('at the service ');
  const contact = { leftId: 'l1', rightId: 'r1', fields: [] } as const;
  const both = [{ ...label, ...contact, action: 'delete' } as const, label];
  expect(await reviewOf({ ...of, changes: both })).toContain('Restore 1 at Google and 1 label or bucket at Google');
});

const NOTHING = { left: null, right: null };
const STATUS = { link: 'work', sides: SIDES, lastRun: RUN, lastSync: RUN };

type LinkParts = Pick<LinkView, 'progress'> & Pick<Parameters<typeof linkPage>[3], 'report'>;

const linkPageOf = async (
  status: Partial<LinkStatus>,
  contacts: Overview['contacts'] = { left: 1, right: 1 },
  { progress, report }: LinkParts = { progress: null, report: null },
): Promise<string> => {
  const view = { status: statusOf({ ...STATUS, ...status }), progress };
  const overview = { contacts, accounts: { left: 'ada@example.org', right: null }, used: NOTHING, changes: [RUN] };
  return String(await linkPage(context(), link, view, { overview, canReturn: true, planning: null, report }));
};

test('the top card of a link has one main action, which depends on its state', async () => {
  const mainOf = async (status: Partial<LinkStatus>): Promise<readonly string[]> => {
    const top = (await linkPageOf({ pairs: 1, ...status })).split('<h2>')[0] ?? '';
    return [...top.matchAll(/class="(?:button )?first"[^>]*>\s*([^<]+?)\s*</gu)].map(([, label = '']) => label);
  };
  expect(await mainOf({})).toEqual(['Sync now']);
  expect(await mainOf({ pausedByHandAtMs: 1 })).toEqual(['Resume']);
  expect(await mainOf({ state: 'halted', reason: FIRST_SYNC.message })).toEqual(['Review the plan']);
  const revoked = 'Google refused. Sign in again with: contact-sync connect google work';
  expect(await mainOf({ state: 'paused', reason: revoked })).toEqual(['Sign in again']);
});

const HALTED = { pairs: 0, state: 'halted', reason: FIRST_SYNC.message } as const;
const ONE_ACCOUNT = { state: 'halted', reason: sameAccounts('home', 'work').message } as const;
const RUNNING = { progress: { text: '1 of 5 contacts written.', done: 1, total: 5, isRun: true } } as const;
const failedIn = (run: string | null) => {
  const summary = run === null ? null : { run };
  return { report: { ending: 'failed', message: 'It broke.', summary, nextInMs: null } as unknown as JobReport };
};
const sweepIn = (awayMs: number) => ({ sweepAtMs: { left: null, right: clock.now() + awayMs } });
const nextIn = (awayMs: number) => ({ nextRunAtMs: clock.now() + awayMs });
const HOURS_MS = 6 * 3_600_000;

test.each<[rule: string, Partial<LinkStatus>, Partial<LinkParts>, shown: RegExp | null, hidden?: RegExp]>([
  ['a halted link asks for a review', HALTED, {}, /The first sync waits.*Review the plan/su],
  ['a halted link asks for none during a run', HALTED, RUNNING, /Sync in progress/u, /waits|Review the plan/u],
  ['a link that other accounts must start asks for none', ONE_ACCOUNT, {}, /same two accounts/u, /Review the plan/u],
  ['the message of the job of the last run is shown', {}, failedIn(RUN.id), /It broke\./u],
  ['the message of a job without a run is shown', {}, failedIn(null), /It broke\./u],
  ['the message of a job is hidden after a later run', {}, failedIn('earlier'), null, /It broke\./u],
  ['a link in sync offers a full sync', {}, {}, /Full sync/u],
  ['a link that waits for a review offers no full sync', HALTED, {}, null, /Full sync/u],
  ['a link that waits for a sign-in offers no full sync', { state: 'paused', reason: 'x' }, {}, null, /Full sync/u],
  ['a run that is overdue is due', nextIn(0), {}, /next check is due\./u],
  ['a later run has its time', nextIn(180_000), {}, /next check <time[^>]* data-ago>/u],
  ['deletions are found at a time', { ...sweepIn(HOURS_MS), ...nextIn(0) }, {}, /listing,\s+<time[^>]* data-ago>/u],
  ['deletions are found with a later run', sweepIn(HOURS_MS), {}, /listing,\s+with a run after <time/u],
  ['deletions are found with the next run', { ...sweepIn(0), ...nextIn(0) }, {}, /full listing,\s+with the next run/u],
])('on the page of a link, %s', async (_rule, status, parts, shown, hidden) => {
  const page = await linkPageOf({ pairs: 1, ...status }, undefined, { progress: null, report: null, ...parts });
  if (shown !== null) expect(page).toMatch(shown);
  if (hidden !== undefined) expect(page).not.toMatch(hidden);
});

test('the accounts of a link in sync state why one side has more contacts than are linked', async () => {
  const accountsOf = async (status: Partial<LinkStatus>, contacts: Overview['contacts']): Promise<string> => {
    const page = await linkPageOf(status, contacts);
    return page.slice(page.indexOf('class="accounts"'));
  };
  const accounts = await accountsOf({ pairs: 46, unselected: { left: 0, right: 13 } }, { left: 46, right: 60 });
  expect(accounts).toContain('46 linked, 13 not selected, 1 not linked');
  expect(accounts.match(/linked/gu)).toHaveLength(2);
  expect(await accountsOf({ pairs: 46 }, { left: 46, right: 46 })).not.toContain('linked');
  // Contacts that no listing showed are still linked.
  expect(await accountsOf({ pairs: 46 }, { left: 46, right: 40 })).not.toContain('linked');
});

test('a list of contacts leads to the page before and after it, with the same filter', async () => {
  const pageOf = async (view: Partial<ContactsView>): Promise<string> =>
    String(
      await contactsPage(context(), link, { find: '', show: 'all', contacts: [], page: 0, hasMore: false, ...view }),
    );
  expect(await pageOf({})).not.toMatch(/Next|Previous/u);
  const page = await pageOf({ page: 2, hasMore: true, show: 'alone' });
  expect(page).toContain('<a href="/links/work/contacts?show=alone&amp;page=3">Next</a>');
  expect(page).toContain('<a href="/links/work/contacts?show=alone&amp;page=1">Previous</a>');
});

const viewOf = (name: string, status: Partial<LinkStatus>): LinkView => ({
  status: statusOf({ ...STATUS, link: name, ...status }),
  progress: null,
});

const LINKS = [
  viewOf('alpha', { pairs: 3 }),
  viewOf('beta', { pairs: 4, state: 'paused', reason: 'revoked' }),
  viewOf('gamma', { pairs: 5, openConflicts: 2 }),
];

const namesOn = (page: string): readonly string[] =>
  [...page.matchAll(/<td><a href="\/links\/(\w+)">/gu)].map(([, name = '']) => name);

test('the page of all links shows totals, and the worst problems first', async () => {
  const page = String(await linksPage(context(), LINKS, []));
  expect(namesOn(page)).toEqual(['beta', 'gamma', 'alpha']);
  expect(textOf(page)).toContain('3 links : 2 with problems, 1 in sync, 12 contacts.');
});
