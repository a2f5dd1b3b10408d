import { expect, test } from 'vitest';
import type { Half } from '../../../src/core/contact/half.ts';
import type { Side } from '../../../src/core/contact/side.ts';
import type { LinkState } from '../../../src/core/state/rows.ts';
import { personSchema } from '../../../src/sandbox/google/person-schema.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { contactFieldsSchema } from '../../../src/sandbox/service/contact-fields.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';
import { firstEditionFile } from '../../support/store/first-edition.ts';

// The emulators give ids in the order of creation. So the contacts of the database get their ids back: as many are created
// as its emulators had, and those that the database does not hold are deleted.

const CONTACTS = 400;
const GROUPS = 20;
const MY_CONTACTS = 'contactGroups/myContacts';

const placeholders = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `Placeholder ${index}`);

const heldOn = (side: Side, halves: readonly Half[]): ReadonlyMap<string, Half> =>
  new Map(halves.filter((half) => half.side === side && half.state !== 'gone').map((half) => [half.id, half]));

const groupNamesOn = (side: Side, { groupPairs }: LinkState): ReadonlyMap<string, string> =>
  new Map(groupPairs.flatMap(({ [side]: group }) => (group === null ? [] : [[group.id, group.name] as const])));

const fillGoogle = ({ google: { account } }: Sandbox, link: LinkState, halves: readonly Half[]): void => {
  const names = groupNamesOn('left', link);
  for (const placeholder of placeholders(GROUPS)) {
    const id = account.createGroup(placeholder);
    const name = names.get(id);
    if (name === undefined) account.deleteGroup(id);
    else account.renameGroup(id, name);
  }
  const held = heldOn('left', halves);
  for (const givenName of placeholders(CONTACTS)) {
    const id = account.createPerson({ names: [{ givenName }] });
    const half = held.get(id);
    if (half === undefined) {
      account.deletePerson(id);
      continue;
    }
    const { memberships: _, ...person } = personSchema.parse(JSON.parse(half.record.raw));
    account.updatePerson(id, person);
    account.setGroups(id, [MY_CONTACTS, ...half.record.groupIds.filter((group) => names.has(group))]);
  }
};

const fillService = ({ service: { account } }: Sandbox, link: LinkState, halves: readonly Half[]): void => {
  const names = groupNamesOn('right', link);
  for (const placeholder of placeholders(GROUPS)) {
    const { id } = account.createBucket({ name: placeholder });
    const name = names.get(id);
    if (name === undefined) account.deleteBucket(id);
    else account.renameBucket(id, name);
  }
  const held = heldOn('right', halves);
  for (const placeholder of placeholders(CONTACTS)) {
    const { id } = account.createContact({ first_name: placeholder });
    const half = held.get(id);
    if (half === undefined) {
      account.deleteContact(id);
      continue;
    }
    const { firstName, lastName, company, title } = half.record.contact;
    const texts = { first_name: firstName, last_name: lastName, company, title };
    account.updateContact(id, { ...texts, ...contactFieldsSchema.parse(JSON.parse(half.record.raw)) });
    account.setBuckets(
      id,
      half.record.groupIds.filter((bucket) => names.has(bucket)),
    );
  }
};

/** Fills both emulators with the contacts and groups of a link of the 0.1.0 database, under the same ids. */
const fillFromFirstEdition = (sandbox: Sandbox, link: LinkState, halves: readonly Half[]): void => {
  fillGoogle(sandbox, link, halves);
  fillService(sandbox, link, halves);
};

const LINK = 'default';
const RECORDED_MS = Date.parse('2026-11-22T08:00:00Z');
const MINUTE_MS = 60_000;
const NONE = { created: 0, updated: 0, deleted: 0, groupsDeleted: 0 };

test('R1: the first run on a 0.1.0 database writes only what was waiting, and the run after that writes nothing', async () => {
  using file = firstEditionFile();
  const store = openStore(file.path);
  await using world = await startLinkedSandbox({ google: [], service: [] }, {}, { store });
  const { clock, sandbox } = world;
  clock.advance(RECORDED_MS - clock.now());
  const halves = await store.halves(LINK, { by: 'all' });
  const open = await store.journal(LINK, { open: true });
  fillFromFirstEdition(sandbox, await store.link(LINK), halves);
  expect(sandbox.google.account.people()).toHaveLength(330);
  expect(sandbox.service.account.contacts()).toHaveLength(332);

  const first = await world.sync({ afterMs: MINUTE_MS });
  expect(first.error).toBeNull();
  expect(first.summary).toMatchObject({
    left: { ...NONE, updated: 15, deleted: 2 },
    right: { ...NONE, updated: 1, deleted: 3 },
  });
  expect(await store.journal(LINK, { open: true })).toEqual([]);
  const waiting = new Set([
    ...halves.filter(({ state }) => state !== 'settled').map(({ pair }) => pair),
    ...open.map(({ pairId }) => pairId),
  ]);
  const pairOf = new Map(halves.map(({ id, pair }) => [id, pair]));
  const entries = await store.journal(LINK, { run: first.summary.run });
  const written = entries.map(({ leftId, rightId }) => pairOf.get(leftId ?? rightId ?? '') ?? null);
  expect(written).toHaveLength(21);
  expect(written.filter((pair) => pair === null || !waiting.has(pair))).toEqual([]);

  const second = await world.sync({ afterMs: 10 * MINUTE_MS });
  expect(second.error).toBeNull();
  expect(second.summary).toMatchObject({ left: NONE, right: NONE });
  expect(await store.journal(LINK, { run: second.summary.run })).toEqual([]);
});
