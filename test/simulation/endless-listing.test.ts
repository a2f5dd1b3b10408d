import type { FeedPage } from '../../src/core/contact/requests.ts';
import { expect, test } from 'vitest';
import type { Half } from '../../src/core/contact/half.ts';
import { SIDES } from '../../src/core/contact/side.ts';
import { EndlessListingError } from '../../src/providers/errors.ts';
import type { Remote } from '../../src/providers/remote.ts';
import { createLinkWriter } from '../../src/engine/link-writer.ts';
import { runLink } from '../../src/engine/run.ts';
import { applyEdit } from './hard-edits.ts';
import { contextOf, QUIET } from './run-history.ts';
import { history } from './scenario.ts';
import { createWorld, liveRows, type World } from './world.ts';

const PAGES = 20;
const ROWS = 500;

/** Returns a page of contacts that no user entered. */
const inventedPage = (page: FeedPage, number: number): FeedPage => {
  const shown = page.changes.find((change) => change.kind === 'upsert');
  if (shown === undefined) throw new Error('the side shows no contact');
  const changes = Array.from({ length: ROWS }, (_, index) => {
    const id = `invented-${number}-${index}`;
    const contact = { ...shown.record.contact, emailAddresses: [{ value: `${id}@example.com`, label: null }] };
    return { ...shown, record: { ...shown.record, id, contact } };
  });
  return { ...page, changes, resume: null, cursor: null };
};

/** Lists a side that never stops inventing contacts, until its reader gives up. */
const withoutEnd = (remote: Remote): Remote => ({
  ...remote,
  async *pull(request, signal) {
    for await (const page of remote.pull({ ...request, mode: 'whole', resume: null }, signal)) {
      yield { ...page, resume: null, cursor: null };
      for (let number = 0; number < PAGES; number += 1) yield inventedPage(page, number);
      throw new EndlessListingError('GET /contacts does not end', {
        status: 200,
        route: 'GET /contacts',
        applied: 'no',
      });
    }
  },
});

const startLink = (): { readonly world: World; readonly play: (isEndless: boolean) => ReturnType<typeof runLink> } => {
  const played = history([], { players: { left: 'google', right: 'service' } });
  const world = createWorld(played, {});
  const play = (isEndless: boolean) => {
    const { context } = contextOf({ history: played, world, flaws: {} }, QUIET);
    const { left, right } = context.remotes;
    const remotes = { left, right: isEndless ? withoutEnd(right) : right };
    const signal = new AbortController().signal;
    return runLink({ ...context, remotes }, { kind: 'full', acceptDeletes: false, signal, onEvent: () => {} });
  };
  return { world, play };
};

test('R14, R15: the contacts of a listing without end are forgotten, and the next run completes', async () => {
  const { world, play } = startLink();
  applyEdit(world, { kind: 'create', side: 'right', rich: false });
  expect((await play(true)).error).toBeInstanceOf(EndlessListingError);
  const stored = await world.store.index(world.link, 'right');
  expect(stored.filter(({ id }) => id.startsWith('invented'))).toEqual([]);
  expect((await play(false)).error).toBeNull();
  expect(SIDES.map((side) => liveRows(world.books[side]).length)).toEqual([1, 1]);
});

test('R14: a step loads a side of which 200,000 contacts are known to be deleted', async () => {
  const { world, play } = startLink();
  applyEdit(world, { kind: 'create', side: 'right', rich: false });
  await play(false);
  const [half] = await world.store.halves(world.link, { by: 'all' });
  if (half === undefined) throw new Error('nothing is stored');
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
  await createLinkWriter(store, world.link, 1).apply({ gone: ['left'] }, (set) => {
    loaded = [...set.halves()].length;
  });
  expect(loaded).toBe(200_000);
});
