import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bySide, type Sides, SIDES } from '../../src/core/contact/side.ts';
import { contactsToWrite, countBySide, sortChanges } from '../../src/core/view/changes.ts';
import type { LinkConfig } from '../../src/app/config/link-config.ts';
import { formatChanges } from '../../src/cli/terminal/changes.ts';
import type { Change } from '../../src/core/view/views.ts';
import { planPage } from '../../src/daemon/console/pages/plan.ts';
import { createSessions } from '../../src/daemon/console/sessions.ts';
import { writtenContacts } from '../../src/engine/tally.ts';
import { listWrites } from '../../src/engine/history/run-writes.ts';
import { listRuns } from '../../src/engine/history/runs.ts';
import { planLink } from '../../src/engine/plan-link.ts';
import type { RunEvent } from '../../src/engine/run-event.ts';
import { runLink } from '../../src/engine/run.ts';
import { applyEdit } from './hard-edits.ts';
import { DEFAULT_PLAYERS, historyArbitrary, type History } from './history.ts';
import { contextOf, QUIET } from './run-history.ts';
import { PLAIN_MANNERS } from '../support/memory/manners.ts';
import { extentOf } from '../support/extent.ts';
import { createVirtualClock } from '../support/clocks.ts';
import { SIDE_WORDS } from '../support/side-words.ts';
import { createWorld, type World } from './world.ts';

type Counts = Sides<{ readonly created: number; readonly updated: number; readonly deleted: number }>;

const ACTIONS = { created: ['create'], updated: ['update', 'membership'], deleted: ['delete'] } as const;

/** The contacts by action and side that the headings of a list show. */
const headingsOf = (changes: readonly Change[]): Counts => {
  const ofContacts = changes.filter((change) => 'leftId' in change);
  const own = (actions: readonly string[]) => ofContacts.filter((change) => actions.includes(change.action));
  return bySide((side) => ({
    created: countBySide(own(ACTIONS.created), ofContacts)[side],
    updated: countBySide(own(ACTIONS.updated), ofContacts)[side],
    deleted: countBySide(own(ACTIONS.deleted), ofContacts)[side],
  }));
};

const totalOf = (counts: Counts): number =>
  writtenContacts({ ...NONE, ...counts.left }) + writtenContacts({ ...NONE, ...counts.right });

const NONE = { pulled: 0, groupsChanged: 0, groupsDeleted: 0 };

/** A link with the properties that the pages show. */
const LINK = {
  name: 'work',
  sides: SIDE_WORDS,
  direction: 'both',
  directions: {},
  conflicts: 'newest',
} as unknown as LinkConfig;
const LAYOUT = { width: Number.POSITIVE_INFINITY, style: (_: string, text: string) => text };

/** The numbers of the headings on a page or a terminal: `Creations: 2`. */
const numbersIn = (screen: string): readonly string[] =>
  [...screen.matchAll(/^(?:\s*<h2>)?((?:Deletions|Conflicts|Creations|Updates|Pairings|Unlinked): \d+)/gmu)].map(
    ([, numbers]) => numbers ?? '',
  );

/** The numbers of a plan on the page. */
const pageNumbers = async (changes: readonly Change[]): Promise<readonly string[]> => {
  const none = { atMs: 0, unpaired: [], contacts: new Map(), unsynced: [], lastRun: null, digest: '' };
  const estimate = { requests: { left: 0, right: 0 }, durationMs: 0 };
  const view = { ...none, kind: 'incremental' as const, changes, estimate, halt: null, destroys: false };
  const session = createSessions(createVirtualClock(), () => 'secret').open({ link: null, isValid: () => true });
  const planning = { state: 'planned' as const, view, note: null };
  const page = planPage({ session, nowMs: 0 }, LINK, { planning, progress: null, verdicts: [], shown: {} });
  return numbersIn(String(await page));
};

/** Compares the numbers of the next run on all screens. */
const compareNextRun = async (history: History, world: World): Promise<number> => {
  const context = { ...contextOf({ history, world, flaws: {} }, QUIET).context, partSize: 2 };
  const signal = new AbortController().signal;
  const options = { kind: 'incremental', signal } as const;
  const scratch = await context.store.scratch(context.link);
  const planned = await planLink({ ...context, store: scratch }, { ...options, onEvent: () => {} });
  const { changes, contacts, halt, unpaired } = planned;
  await scratch.close();
  const asked = unpaired.flatMap((match) => SIDES.flatMap((side) => match[side].map(({ id }) => `${side} ${id}`)));
  expect(asked.filter((key) => !contacts.has(key))).toEqual([]);
  if (halt !== null) return 0;

  const events: RunEvent[] = [];
  const { summary } = await runLink(context, { ...options, onEvent: (event) => events.push(event) });
  const of = bySide((side) => {
    const { created, updated, deleted } = summary[side];
    return { created, updated, deleted };
  });
  const [run] = await listRuns(context.store, context.link, { most: 1 });
  const writes = await listWrites(context.store, { name: context.link, ...context.policy }, summary.run);
  expect(run?.wrote).toMatchObject(of);
  expect(headingsOf(writes)).toEqual(of);
  // A contact that was deleted unnoticed is found by its update, and created again.
  if (writes.every(({ state }) => state === 'done')) {
    expect(headingsOf(changes)).toEqual(of);
    expect(contactsToWrite(changes)).toBe(totalOf(of));
  }
  const lines = formatChanges(changes, SIDE_WORDS, { all: true }, LAYOUT).join('\n');
  expect(await pageNumbers(sortChanges(changes))).toEqual(numbersIn(lines));
  expect(numbersIn(lines).length > 0).toBe(changes.length > 0);
  // Each pass announces the contacts of the whole run, and reports how many of them are written.
  const passed = events.slice(events.findLastIndex(({ kind }) => kind === 'planned'));
  for (const side of SIDES) {
    const done = writtenContacts({ ...NONE, ...of[side] });
    const last = passed.findLast((event) => event.kind === 'written' && event.side === side);
    if (done > 0) expect(last).toMatchObject({ done });
  }
  return totalOf(of);
};

test('the plan on the terminal and on the page, the progress, the summary, the list of runs and the writes of a run have the same numbers of contacts', async () => {
  const numRuns = extentOf({ all: 60, sample: 15 });
  const histories = fc.sample(historyArbitrary(DEFAULT_PLAYERS), { numRuns, seed: 50 });
  let compared = 0;
  for (const drawn of histories) {
    const history: History = {
      ...drawn,
      manners: { left: PLAIN_MANNERS, right: PLAIN_MANNERS },
      deleteCount: 1_000,
      lagMs: 0,
    };
    const world = createWorld(history, {});
    for (const { before, gapMs } of history.phases.flat()) {
      for (const edit of before) applyEdit(world, edit);
      world.clock.advance(gapMs + 60_000);
      compared += await compareNextRun(history, world);
    }
  }
  expect(compared).toBeGreaterThan(numRuns);
});
