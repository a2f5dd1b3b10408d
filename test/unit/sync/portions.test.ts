import { expect, test } from 'vitest';
import { EMPTY_CONTACT } from '../../../src/contact/contact.ts';
import { bySide, SIDES, type Side } from '../../../src/contact/side.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { StoreChange } from '../../../src/store/store.ts';
import { dividePlan } from '../../../src/sync/portions.ts';
import { emptyTally } from '../../../src/sync/context.ts';
import { policyWith } from '../reconcile/support.ts';
import { putHalf, recordOf } from '../../support/store/rows.ts';

const LINK = 'default';
const CONTACTS = 600;

const newcomer = (side: Side, index: number): StoreChange => {
  const id = `${side} ${index}`;
  const record = recordOf(id, { contact: { ...EMPTY_CONTACT, firstName: `Person ${index}` } });
  return putHalf(id, { side, record, base: null, state: 'changed' });
};

/** A store in which both sides say the same of so many people, and nothing is paired. */
const openMeeting = async () => {
  const store = openStore(':memory:');
  const token = (await store.acquireLease(LINK, 'owner', 0, 1_000_000)) ?? 0;
  const people = Array.from({ length: CONTACTS }, (_, index) => index);
  await store.commit(
    LINK,
    token,
    SIDES.flatMap((side) => people.map((index) => newcomer(side, index))),
  );
  const session = {
    kind: 'full',
    link: LINK,
    policy: policyWith({}),
    portion: 200,
    store,
    tally: emptyTally(),
  } as const;
  return { session, [Symbol.asyncDispose]: () => store.close() };
};

test('[R13] two of equal content are in one portion, and each contact is in one', async () => {
  await using meeting = await openMeeting();
  const portions = await dividePlan(meeting.session);
  const all = [portions?.first.ids ?? { left: [], right: [] }, ...(portions?.later ?? [])];
  const people = (ids: readonly string[]) => new Set(ids.map((id) => id.split(' ')[1]));
  expect(all.map(({ left, right }) => [left.length, right.length])).toEqual(
    Array.from({ length: 6 }, () => [100, 100]),
  );
  for (const { left, right } of all) expect(people(left)).toEqual(people(right));
  expect(bySide((side) => new Set(all.flatMap((ids) => ids[side])).size)).toEqual({ left: CONTACTS, right: CONTACTS });
});

test('a lease can be renewed while many contacts are looked through', async () => {
  await using meeting = await openMeeting();
  let turns = 0;
  const count = (): void => {
    turns += 1;
    pending = setImmediate(count);
  };
  let pending = setImmediate(count);
  await dividePlan(meeting.session);
  clearImmediate(pending);
  expect(turns).toBeGreaterThan(4);
});
