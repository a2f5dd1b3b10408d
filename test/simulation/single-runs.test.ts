import { expect, test } from 'vitest';
import type { Half } from '../../src/core/contact/half.ts';
import type { FeedPage } from '../../src/core/contact/requests.ts';
import { SIDES } from '../../src/core/contact/side.ts';
import { readLinkRecord } from '../../src/engine/history/link-record.ts';
import { type LinkContext, type RunOptions } from '../../src/engine/session.ts';
import { StoppedError } from '../../src/engine/errors.ts';
import { LinkWriter } from '../../src/engine/link-writer.ts';
import { EndlessListingError, UnreadableError } from '../../src/providers/errors.ts';
import type { Remote } from '../../src/providers/remote.ts';
import type { ProcessPlan } from '../support/memory/process.ts';
import { applyEdit } from './hard-edits.ts';
import { DEFAULT_PLAYERS, type Edit, type Hardness, type Players } from './history.ts';
import { addSharedGroup, create, createRich, hardness, join, MINUTE_MS, remove, set, TWO_GOOGLES } from './scenario.ts';
import { openWorld, type Process } from './single-world.ts';
import { liveRows } from './world.ts';

const DAY_MS = 24 * 60 * MINUTE_MS;

const startStage = (players: Players = DEFAULT_PLAYERS, harder: Partial<Hardness> = {}) => {
  const { world, play } = openWorld({ players, hardness: hardness(harder), keepsAll: false });
  return {
    world,
    play: async ({ options = {}, ...process }: Process & { readonly options?: Partial<RunOptions> } = {}) => {
      const { value: result, calls } = await play(options, { afterMs: 0, ...process });
      return { result, calls };
    },
  };
};

/** Changes what the right side does. */
const onRight =
  (change: (right: Remote) => Partial<Remote>) =>
  ({ remotes }: LinkContext): Partial<LinkContext> => ({
    remotes: { ...remotes, right: { ...remotes.right, ...change(remotes.right) } },
  });

test('a run that writes stores the time of its change, and a run that writes nothing keeps the stored time', async () => {
  const { world, play } = startStage();
  const lastChangeAtMs = async () => (await world.store.link(world.link)).lastChangeAtMs;
  await play();
  expect(await lastChangeAtMs()).toBeNull();
  applyEdit(world, createRich('left'));
  await play();
  const changedAtMs = await lastChangeAtMs();
  expect(changedAtMs).toBe(world.clock.now());
  world.clock.advance(10 * MINUTE_MS);
  await play();
  expect(await lastChangeAtMs()).toBe(changedAtMs);
});

test('R7: a run counts the deletion of a linked contact as read, and plans nothing for one that was never linked', async () => {
  const { world, play } = startStage();
  const pulledAfter = async (...edits: readonly Edit[]) => {
    for (const edit of edits) applyEdit(world, edit);
    world.clock.advance(10 * MINUTE_MS);
    return (await play()).result?.summary.left.pulled;
  };
  expect(await pulledAfter(createRich('left'), createRich('left'))).toBe(2);
  expect(await pulledAfter(remove('left'))).toBe(1);
  expect(await pulledAfter(create('left'), remove('left', 1))).toBe(0);
});

test('R8: a user accepts the halt of a run that started after the clock was set back', async () => {
  const { world, play } = openWorld({ players: TWO_GOOGLES, deleteCount: 1 });
  for (let count = 0; count < 4; count += 1) applyEdit(world, create('left'));
  const outcomeOf = async (options: Partial<RunOptions>) => (await play(options)).value?.summary.outcome;
  await outcomeOf({ kind: 'full' });
  world.clock.advance(3 * DAY_MS);
  expect(await outcomeOf({})).toBe('completed');
  world.clock.setBack(DAY_MS);
  for (let count = 0; count < 3; count += 1) applyEdit(world, remove('left'));
  expect(await outcomeOf({ kind: 'full' })).toBe('halted');
  expect((await readLinkRecord(world.store, world.link)).lastSync?.outcome).toBe('halted');
  expect(await outcomeOf({ accepts: { kind: 'losses' } })).toBe('completed');
  expect(liveRows(world.books.right)).toHaveLength(1);
});

test.each<Players>([DEFAULT_PLAYERS, { left: 'service', right: 'google' }, TWO_GOOGLES])(
  'R1, R15: between $left and $right, runs cost no further request after a contact was unreadable for twelve days',
  async ({ left, right }) => {
    const { world, play } = startStage({ left, right });
    const side = left === 'google' ? 'left' : 'right';
    for (const edit of [createRich(side), create(side), createRich(side)]) applyEdit(world, edit);
    await play();
    let usual = 0;
    for (let count = 0; count < 6; count += 1) {
      world.clock.advance(10 * MINUTE_MS);
      usual = (await play()).calls;
    }
    applyEdit(world, set(side, 0, 'firstName'));
    const odd = liveRows(world.books[side])[0]?.id ?? '';
    const isUnreadable: ProcessPlan['isUnreadable'] = (of, id) => of === side && id === odd;
    const first = await play({ plan: { isUnreadable } });
    expect(first.result?.summary).toMatchObject({ outcome: 'completed', skipped: 1 });
    for (let attempt = 0; attempt < 12; attempt += 1) {
      world.clock.advance(DAY_MS);
      expect((await play({ plan: { isUnreadable } })).result?.error).toBeNull();
    }
    const idle: number[] = [];
    for (let hours = 0; hours < 24; hours += 3) {
      world.clock.advance(10 * MINUTE_MS);
      const { calls, result } = await play({ plan: { isUnreadable } });
      expect(result?.summary).toMatchObject({ outcome: 'completed', skipped: 0 });
      idle.push(calls);
    }
    expect(new Set(idle)).toEqual(new Set([usual]));
  },
);

test.each([0, 1, 2, 3, 4])(
  'R9: a create that was sent before its account had an id is found after the account has one (%i edits before it)',
  async (edits) => {
    const lags = { feedLagMs: 5 * MINUTE_MS, listingLagMs: 5 * MINUTE_MS };
    const { world, play } = startStage(TWO_GOOGLES, lags);
    const identify = () => Promise.resolve(null);
    await play({ change: ({ remotes }) => ({ remotes: { ...remotes, left: { ...remotes.left, identify } } }) });
    applyEdit(world, createRich('left'));
    // The number of changes determines the lag of each one: with one of these numbers the new contact is hidden.
    for (let count = 0; count < edits; count += 1) applyEdit(world, set('left', 0, 'title'));
    world.clock.advance(10 * MINUTE_MS);
    const aimedAt: ProcessPlan['aimedAt'] = (op) => (op === 'create' ? 'kill' : undefined);
    expect((await play({ plan: { aimedAt } })).result).toBeNull();
    expect((await world.store.link(world.link)).accounts.left).toBeNull();
    expect(liveRows(world.books.right)).toHaveLength(1);

    world.clock.advance(MINUTE_MS);
    // The account is read again with the new credential.
    const { result } = await play({ change: () => ({ credentials: { left: 'new', right: 's' } }) });
    expect(result?.summary).toMatchObject({ outcome: 'completed', right: { created: 0 } });
    expect((await world.store.link(world.link)).accounts.left).toBe('account at left');
    expect(liveRows(world.books.right)).toHaveLength(1);
  },
);

test('R9, R15: a create with a lost answer stays open while a row cannot be read; the run and the other creates complete', async () => {
  const { world, play } = startStage();
  await play();
  for (let count = 0; count < 3; count += 1) applyEdit(world, createRich('left'));
  world.clock.advance(10 * MINUTE_MS);
  const odd = liveRows(world.books.left)[0]?.contact.firstName ?? '';
  const doubting = onRight((right) => ({
    findCreated: (requests, ...rest) => {
      const isOdd = requests.some(({ draft }) => draft.firstName === odd);
      const options = { status: 200, route: 'GET', applied: 'no' } as const;
      return isOdd
        ? Promise.reject(new UnreadableError('a contact cannot be understood', options))
        : right.findCreated(requests, ...rest);
    },
  }));
  // Every create is applied and its answer is lost. The outcome of one is unknown while a row cannot be read.
  const aimedAt: ProcessPlan['aimedAt'] = (op) => (op === 'create' ? 'lost-after' : undefined);
  const lost = await play({ plan: { aimedAt }, change: doubting });
  expect(lost.result?.summary).toMatchObject({ outcome: 'completed', skipped: 1 });
  const open = await world.store.journal(world.link, { open: true });
  expect(open).toMatchObject([{ kind: 'create', desired: { firstName: odd } }]);

  for (let count = 0; count < 3; count += 1) {
    world.clock.advance(10 * MINUTE_MS);
    const next = await play({ change: count < 2 ? doubting : undefined });
    expect(next.result?.summary).toMatchObject({ outcome: 'completed', right: { created: 0 } });
    expect(liveRows(world.books.right)).toHaveLength(3);
  }
  world.clock.advance(30 * MINUTE_MS);
  expect((await play()).result?.summary).toMatchObject({ outcome: 'completed', right: { created: 0 } });
  expect(await world.store.journal(world.link, { open: true })).toEqual([]);
  expect((await world.store.counts(world.link)).pairs).toBe(3);
});

const CONTACTS = 120;
/** A run can stop after each of this many contacts, where a request is about one contact. */
const STEP = 50;

type Stopping = (right: Remote, stop: () => void) => Partial<Remote>;

/** Contacts that both sides have, and runs that a call to the right side, the service, stops. */
const startRuns = async () => {
  const { world, play } = startStage();
  const runOnce = async (change: Stopping = () => ({})) => {
    const stopping = new AbortController();
    const options = { accepts: { kind: 'losses' } as const, stop: stopping.signal };
    const stop = () => stopping.abort(new StoppedError());
    const { result } = await play({ change: onRight((right) => change(right, stop)), options });
    return result ?? expect.fail('the process died');
  };
  for (let count = 0; count < CONTACTS; count += 1) applyEdit(world, createRich('left'));
  applyEdit(world, addSharedGroup('left'));
  expect((await runOnce()).error).toBeNull();
  world.clock.advance(DAY_MS);
  return { world, runOnce };
};

test('R11: a run that is stopped while it writes memberships ends after the current batch', async () => {
  const { world, runOnce } = await startRuns();
  for (let who = 0; who < CONTACTS; who += 1) applyEdit(world, join('left', { who, group: 0 }));
  const moved: number[] = [];
  const stopped = await runOnce((right, stop) => ({
    changeMembership: (batch, signal) => {
      moved.push(batch.length);
      stop();
      return right.changeMembership(batch, signal);
    },
  }));
  expect(stopped.error).toBeInstanceOf(StoppedError);
  expect(moved).toHaveLength(1);
  expect(moved[0]).toBeLessThanOrEqual(STEP);
  expect((await runOnce()).error).toBeNull();
});

test('R7: a run that is stopped while it reads contacts that a listing missed ends after the current batch', async () => {
  const { world, runOnce } = await startRuns();
  for (let who = 0; who < CONTACTS - 10; who += 1) applyEdit(world, remove('right'));
  const read: number[] = [];
  const stopped = await runOnce((right, stop) => ({
    read: (ids, signal) => {
      read.push(ids.length);
      stop();
      return right.read(ids, signal);
    },
  }));
  expect(stopped.error).toBeInstanceOf(StoppedError);
  expect(read).toHaveLength(1);
  expect(read[0]).toBeLessThanOrEqual(STEP);
  expect((await runOnce()).summary.outcome).toBe('halted');
  expect((await runOnce()).error).toBeNull();
});

const PAGES = 20;
const ROWS = 500;

/** Returns a page of contacts that no user entered. */
const inventedPage = (page: FeedPage, number: number): FeedPage => {
  const shown = page.changes.find((change) => change.kind === 'upsert');
  if (shown === undefined) throw new Error('The listing contains no contact.');
  const changes = Array.from({ length: ROWS }, (_, index) => {
    const id = `invented-${number}-${index}`;
    const contact = { ...shown.record.contact, emailAddresses: [{ value: `${id}@example.com`, label: null }] };
    return { ...shown, record: { ...shown.record, id, contact } };
  });
  return { ...page, changes, resume: null, cursor: null };
};

/** A listing that returns invented contacts until the reader stops it. */
const withoutEnd = (remote: Remote): Partial<Remote> => ({
  async *pull(request, signal) {
    for await (const page of remote.pull({ ...request, mode: 'whole', resume: null }, signal)) {
      yield { ...page, resume: null, cursor: null };
      for (let number = 0; number < PAGES; number += 1) yield inventedPage(page, number);
      throw new EndlessListingError('GET /contacts never ends', {
        status: 200,
        route: 'GET /contacts',
        applied: 'no',
      });
    }
  },
});

test('R14, R15: the contacts of an endless listing are not stored, and the next run completes', async () => {
  const options = { kind: 'full' } as const;
  const { world, play } = startStage();
  applyEdit(world, create('right'));
  expect((await play({ options, change: onRight(withoutEnd) })).result?.error).toBeInstanceOf(EndlessListingError);
  const stored = await world.store.index(world.link, 'right');
  expect(stored.filter(({ id }) => id.startsWith('invented'))).toEqual([]);
  expect((await play({ options })).result?.error).toBeNull();
  expect(SIDES.map((side) => liveRows(world.books[side]).length)).toEqual([1, 1]);
});

test('R14: a step loads a side with 200,000 deleted contacts', async () => {
  const { world, play } = startStage();
  applyEdit(world, create('right'));
  await play({ options: { kind: 'full' } });
  const [half] = await world.store.halves(world.link, { by: 'all' });
  if (half === undefined) throw new Error('The store contains no half.');
  const many = Array.from({ length: 200_000 }, (_, index): Half => ({
    ...half,
    id: `gone-${index}`,
    pair: null,
    state: 'gone',
  }));
  const store = new Proxy(world.store, {
    get: (target, name, receiver) =>
      name === 'halves' ? async () => Promise.resolve(many) : (Reflect.get(target, name, receiver) as unknown),
  });
  let loaded = 0;
  await new LinkWriter(store, await store.opening(world.link), 1).apply({ gone: ['left'] }, (working) => {
    loaded = [...working.halves()].length;
  });
  expect(loaded).toBe(200_000);
});
