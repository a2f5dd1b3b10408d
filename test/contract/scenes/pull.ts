import type { FeedPage } from '../../../src/core/contact/requests.ts';
import { expect } from 'vitest';
import { CursorExpiredError } from '../../../src/providers/errors.ts';
import {
  ADA,
  BEN,
  LATER_MS,
  createAll,
  creation,
  cursorOf,
  expectFaithful,
  failureOf,
  forever,
  idsOf,
  pull,
  pullKnowing,
  pullWhole,
  readOne,
  recordsOf,
  unchangedOf,
  update,
  valueOf,
  type Scene,
} from './steps.ts';

/** Listings and change feeds (R7, R14). */
export const pullScenes = {
  'a whole listing returns every contact once, with its groups, and ends with a cursor': async (harness) => {
    const group = harness.addGroup('Friends');
    for (let number = 0; number < 60; number += 1) harness.add({ firstName: `N${number}`, lastName: 'Many' });
    const ada = harness.add(ADA, [group]);
    harness.clock.advance(LATER_MS);
    const pages = await pullWhole(harness.remote);
    cursorOf(pages);
    expect(idsOf(pages)).toEqual(new Set(harness.ids()));
    expect(recordsOf(pages)).toHaveLength(61);
    for (const record of recordsOf(pages)) expectFaithful(harness, record);
    expect(recordsOf(pages).find(({ id }) => id === ada)?.groupIds).toEqual([group]);
  },

  'a whole listing returns only the ids of known rows, and the records of the others': async (harness) => {
    const [friends, family] = [harness.addGroup('Friends'), harness.addGroup('Family')];
    const [ada, ben, cid] = [
      harness.add(ADA, [friends]),
      harness.add(BEN),
      harness.add({ firstName: 'Cid', lastName: 'Goes' }),
    ];
    for (let number = 0; number < 60; number += 1) harness.add({ firstName: `N${number}`, lastName: 'Many' });
    harness.clock.advance(LATER_MS);
    const first = await pullWhole(harness.remote);
    expect(unchangedOf(first)).toEqual([]);
    const all = [...idsOf(first)].toSorted();
    const unchangedPages = await pullKnowing(harness.remote, recordsOf(first));
    expect(unchangedOf(unchangedPages)).toEqual(all);
    expect(recordsOf(unchangedPages)).toEqual([]);
    harness.edit(ada, { title: 'Countess' });
    harness.join(ben, family);
    harness.remove(cid);
    const added = harness.add({ firstName: 'Dot', lastName: 'New' });
    harness.clock.advance(LATER_MS);
    const next = await pullKnowing(harness.remote, recordsOf(first));
    expect(idsOf(next)).toEqual(new Set([ada, ben, added]));
    expect(unchangedOf(next)).toEqual(all.filter((id) => ![ada, ben, cid].includes(id)));
    for (const record of recordsOf(next)) expectFaithful(harness, record);
  },

  'the cursor after a listing of known rows returns the later changes': async (harness) => {
    const ada = harness.add(ADA);
    harness.clock.advance(LATER_MS);
    const first = await pullWhole(harness.remote);
    const cursor = cursorOf(await pullKnowing(harness.remote, recordsOf(first)));
    expect(idsOf(await pull(harness.remote, { mode: 'changes', cursor }))).toEqual(
      idsOf(await pull(harness.remote, { mode: 'changes', cursor: cursorOf(first) })),
    );
    harness.edit(ada, { title: 'Countess' });
    harness.clock.advance(LATER_MS);
    expect(idsOf(await pull(harness.remote, { mode: 'changes', cursor }))).toEqual(new Set([ada]));
  },

  'the record that a write returns is known in the next listing': async (harness) => {
    const created = valueOf(await createAll(harness, [creation('a', ADA)]), 'a');
    harness.clock.advance(LATER_MS);
    expect(unchangedOf(await pullKnowing(harness.remote, [created]))).toEqual([created.id]);
    const updated = await update(harness, created, { title: 'Countess' });
    harness.clock.advance(LATER_MS);
    expect(idsOf(await pullKnowing(harness.remote, [created]))).toEqual(new Set([created.id]));
    expect(unchangedOf(await pullKnowing(harness.remote, [updated]))).toEqual([created.id]);
  },

  'a listing of an empty account ends with a cursor': async (harness) => {
    const cursor = cursorOf(await pullWhole(harness.remote));
    const ada = harness.add(ADA);
    harness.clock.advance(LATER_MS);
    expect(idsOf(await pull(harness.remote, { mode: 'changes', cursor }))).toEqual(new Set([ada]));
  },

  'changes return the contacts that were added or edited since their cursor, and so do the next changes': async (
    harness,
  ) => {
    const [ada, ben] = [harness.add(ADA), harness.add(BEN)];
    harness.clock.advance(LATER_MS);
    const first = cursorOf(await pullWhole(harness.remote));
    harness.edit(ada, { title: 'Countess' });
    const cid = harness.add({ firstName: 'Cid', lastName: 'New' });
    harness.clock.advance(LATER_MS);
    const changes = await pull(harness.remote, { mode: 'changes', cursor: first });
    expect(idsOf(changes).has(ada) && idsOf(changes).has(cid)).toBe(true);
    for (const record of recordsOf(changes)) expectFaithful(harness, record);
    harness.edit(ben, { title: 'Baker' });
    harness.clock.advance(LATER_MS);
    const next = await pull(harness.remote, { mode: 'changes', cursor: cursorOf(changes) });
    expect(idsOf(next).has(ben)).toBe(true);
    for (const record of recordsOf(next)) expectFaithful(harness, record);
  },

  'a deletion is a tombstone in the feed, or the contact is missing from a listing and gone in a read': async (
    harness,
  ) => {
    const [ada, ben] = [harness.add(ADA), harness.add(BEN)];
    harness.clock.advance(LATER_MS);
    const cursor = cursorOf(await pullWhole(harness.remote));
    harness.remove(ben);
    harness.clock.advance(LATER_MS);
    const changes = (await pull(harness.remote, { mode: 'changes', cursor })).flatMap((page) => page.changes);
    const tombstones = changes.filter(({ kind }) => kind === 'tombstone');
    expect(tombstones).toEqual(harness.remote.capabilities.namesDeletions ? [{ kind: 'tombstone', id: ben }] : []);
    expect(idsOf(await pullWhole(harness.remote))).toEqual(new Set([ada]));
    expect(await readOne(harness, ben)).toEqual({ kind: 'gone' });
  },

  'an interrupted listing is resumed after its last page': async (harness) => {
    for (let number = 0; number < harness.moreThanAPage; number += 1)
      harness.add({ firstName: `N${number}`, lastName: 'Many' });
    harness.clock.advance(LATER_MS);
    const reached: FeedPage[] = [];
    for await (const page of harness.remote.pull({ mode: 'whole', resume: null }, forever)) {
      reached.push(page);
      break;
    }
    const before = harness.arrived();
    const rest = await pullWhole(harness.remote, reached[0]?.resume ?? expect.fail('the page has no resume point'));
    cursorOf(rest);
    expect(idsOf(rest).union(idsOf(reached))).toEqual(new Set(harness.ids()));
    expect(idsOf(rest).size).toBeLessThan(harness.moreThanAPage);
    expect(harness.arrived() - before).toBeLessThanOrEqual(3);
  },

  'a listing with an unreadable resume point has expired': async ({ remote }) => {
    expect(await failureOf(pullWhole(remote, 'not a place'))).toBeInstanceOf(CursorExpiredError);
  },

  'an unreadable cursor has expired': async ({ remote }) => {
    expect(await failureOf(pull(remote, { mode: 'changes', cursor: 'not a cursor' }))).toBeInstanceOf(
      CursorExpiredError,
    );
  },
} satisfies Record<string, Scene>;
