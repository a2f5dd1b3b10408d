import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { addContacts } from '../../../../src/daemon/console/contact-routes.ts';
import type { Env } from '../../../../src/daemon/console/env.ts';
import { isPresent } from '../../../../src/core/contact/half.ts';
import { snapshotOf } from '../../../../src/core/contact/snapshot.ts';
import { storePair } from '../../../../src/core/state/pair.ts';
import { WorkingSet } from '../../../../src/core/state/working-set.ts';
import { changeLink, underLease } from '../../../../src/engine/change-link.ts';
import { runLink } from '../../../../src/engine/run.ts';
import { applyEdit } from '../../../simulation/hard-edits.ts';
import { contextOf, QUIET } from '../../../simulation/run-history.ts';
import { create, history } from '../../../simulation/scenario.ts';
import { rejectionOf } from '../../../support/store/rows.ts';
import { createWorld, liveRows } from '../../../simulation/world.ts';

const wordsOf = (name: string) => ({ name, title: name, place: name });

/** The pages of a link of two address books, each with a contact with the id of the other one. The left one stays alone. */
const openPages = async () => {
  const played = history([], { players: { left: 'carddav', right: 'carddav' }, keepsAll: true });
  const world = createWorld(played, {});
  applyEdit(world, create('left'));
  applyEdit(world, create('right'));
  const [ada, ben] = [liveRows(world.books.left)[0], liveRows(world.books.right)[0]];
  if (ada === undefined || ben?.id !== ada.id) throw new Error('The contacts have different ids.');
  const { context } = contextOf({ history: played, world, flaws: {} }, QUIET);
  const policy = { ...context.policy, firstSync: 'review' as const };
  const options = { kind: 'incremental', onEvent: () => {}, signal: new AbortController().signal } as const;
  // The first sync waits for its review: both contacts are stored, and neither is linked.
  expect((await runLink({ ...context, policy }, options)).summary.outcome).toBe('halted');
  const parts = { store: world.store, clock: world.clock, newId: () => 'by-hand' };
  const { halves } = await world.store.wholePairs(world.link, { ids: { left: [ada.id], right: [] }, pairs: [] });
  const [half] = halves;
  if (half === undefined || !isPresent(half)) throw new Error('The contact is not stored.');
  const set = new WorkingSet();
  set.load(halves, []);
  const left = { ...half, base: snapshotOf(half.record), state: 'settled' } as const;
  storePair(set, { pairId: null, status: 'kept', halves: { left, right: null }, writtenSide: null });
  await underLease(parts, world.link, (token) => world.store.commit(world.link, token, set.changes()));
  const sides = { left: wordsOf('left'), right: wordsOf('right') };
  const session = { link: null, id: 'a', endsAtMs: 0, formToken: 'a', notice: null };
  const routes = new Hono<Env>();
  routes.use(async (request, next) => {
    request.set('link', { name: world.link, direction: 'both', conflicts: 'newest', sides } as never);
    request.set('session', session);
    if (request.req.method === 'POST') request.set('form', new URLSearchParams(await request.req.text()));
    await next();
  });
  addContacts(routes, {
    app: { store: world.store, lease: parts },
    clock: world.clock,
    actions: { requestRun: () => Promise.resolve() },
  } as never);
  const read = async (path: string): Promise<string> => (await routes.request(path)).text();
  return {
    world,
    parts,
    routes,
    read,
    path: `/links/${world.link}`,
    ada: ada.contact.firstName,
    ben: ben.contact.firstName,
    id: ben.id,
  };
};

test('the list of contacts shows a note at the contact of its side, not at another one with the same id', async () => {
  const { read, path, ada, ben } = await openPages();
  const rows = (await read(`${path}/contacts`)).split('<tr>');
  const note = 'not created on the other side';
  expect(rows.filter((row) => row.includes(ada)).every((row) => row.includes(note))).toBe(true);
  expect(rows.filter((row) => row.includes(ben)).some((row) => row.includes(note))).toBe(false);
});

test('the page of a contact and the page after its form show this contact, not another one with the same id', async () => {
  const { routes, read, path, ada, ben, id } = await openPages();
  const body = new URLSearchParams({ id, side: 'right' });
  const posted = await routes.request(`${path}/contact/retry`, { method: 'POST', body: body.toString() });
  for (const page of [
    await read(`${path}/contact?${body.toString()}`),
    await read(posted.headers.get('location') ?? ''),
  ]) {
    expect([page.includes(ben), page.includes(ada)]).toEqual([true, false]);
  }
});

test('R15: a retry on the page of a contact does not end the wait of another contact with the same id', async () => {
  const { world, parts, routes, path, id } = await openPages();
  const own = rejectionOf({ side: 'left', key: 'right', leftId: null, rightId: id });
  const other = rejectionOf({ side: 'right', key: 'left', leftId: id, rightId: null });
  await changeLink(parts, world.link, () =>
    [own, other].map((row) => ({ kind: 'put', table: 'rejections', row: { ...row, retryAtMs: 9e12 } })),
  );
  const body = new URLSearchParams({ id, side: 'right' });
  await routes.request(`${path}/contact/retry`, { method: 'POST', body: body.toString() });
  const { rejections } = await world.store.link(world.link);
  expect(rejections.filter(({ retryAtMs }) => retryAtMs < 9e12)).toMatchObject([{ rightId: id }]);
});
