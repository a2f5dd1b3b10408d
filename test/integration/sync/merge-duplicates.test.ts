import { listDuplicates } from '../../../src/engine/history/open-questions.ts';
import { describe, expect, test } from 'vitest';
import type { Side } from '../../../src/core/contact/side.ts';
import { EMPTY_PERSON, type Person } from '../../../src/sandbox/people/person.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const labelled = (...texts: readonly string[]) => texts.map((value) => ({ value, label: null }));

const ADA: Person = { ...EMPTY_PERSON, givenName: 'Ada', familyName: 'King', emails: labelled('ada@x.org') };
const TWICE: readonly Person[] = [
  { ...ADA, title: 'Countess' },
  { ...ADA, emails: labelled('ada@x.org', 'king@x.org'), phones: labelled('+1 555 123 4567'), company: 'Engines' },
];
const BOB: Person = { ...EMPTY_PERSON, givenName: 'Bob', familyName: 'Lee', emails: labelled('bob@x.org') };

const startTwice = async (): Promise<LinkedSandbox> => {
  const people = [...TWICE, BOB];
  const linked = await startLinkedSandbox({ google: people, service: people }, { SWEEP_INTERVAL: '1s' });
  await linked.sync();
  linked.clock.advance(30 * 60_000);
  return linked;
};

const signal = (): AbortSignal => new AbortController().signal;

/** The group of a side, as an order to merge it. */
const orderAt = async ({ app }: LinkedSandbox, side: Side) => {
  const groups = await listDuplicates(app.store, 'default');
  const [survivorId = '', ...otherIds] = groups.find((group) => group.side === side)?.members.map(({ id }) => id) ?? [];
  return { side, survivorId, otherIds };
};

const mergeAt = async (linked: LinkedSandbox, side: Side) =>
  linked.app.mergeDuplicates(linked.link, await orderAt(linked, side), { signal: signal(), acceptDeletes: false });

/** The contacts with that name on both sides. */
const held = ({ sandbox }: LinkedSandbox) => ({
  left: sandbox.google.account
    .people()
    .filter(({ names }) => names?.[0]?.givenName === 'Ada')
    .map(({ organizations = [], emailAddresses = [], phoneNumbers = [] }) => ({
      title: organizations[0]?.title ?? '',
      company: organizations[0]?.name ?? '',
      emails: emailAddresses.map(({ value }) => value ?? '').toSorted(),
      phones: phoneNumbers.length,
    })),
  right: sandbox.service.account
    .contacts()
    .filter(({ first_name }) => first_name === 'Ada')
    .map(({ title, company, email_addresses: emails, phone_numbers: phones }) => ({
      title: title ?? '',
      company: JSON.stringify(company).includes('Engines') ? 'Engines' : '',
      emails: emails.map(({ address }) => address ?? '').toSorted(),
      phones: phones.length,
    })),
});

const WHOLE = { title: 'Countess', company: 'Engines', emails: ['ada@x.org', 'king@x.org'], phones: 1 };

/** Runs until the counterparts are merged too, and expects both sides to be whole and quiet. */
const expectOne = async (linked: LinkedSandbox): Promise<void> => {
  for (const _ of [1, 2, 3]) {
    await linked.sync({ afterMs: 30 * 60_000 });
  }
  expect(held(linked)).toEqual({ left: [WHOLE], right: [WHOLE] });
  expect((await linked.app.store.counts('default')).pairs).toBe(2);
  expect(await listDuplicates(linked.app.store, 'default')).toEqual([]);
  const { left, right } = (await linked.sync({ afterMs: 30 * 60_000 })).summary;
  expect([left, right].flatMap(({ created, updated, deleted }) => [created, updated, deleted])).toEqual(
    Array.from({ length: 6 }, () => 0),
  );
};

describe('likely duplicates on one side', () => {
  test('likely duplicates are listed in groups, with their common values', async () => {
    await using linked = await startTwice();
    const groups = await listDuplicates(linked.app.store, 'default');
    expect(
      groups.map(({ side, members, why }) => [side, members.map(({ name, isLinked }) => [name, isLinked]), why]),
    ).toEqual(
      (['left', 'right'] as const).map((side) => [
        side,
        [
          ['Ada King', true],
          ['Ada King', true],
        ],
        [{ kind: 'alike', in: 'emailAddresses', value: 'ada@x.org' }],
      ]),
    );
    expect(await listDuplicates(linked.app.store, 'default')).toEqual(groups);
  });

  test.each(['left', 'right'] as const)(
    'R12: duplicates are merged on the %s side, and their counterparts by the next run',
    async (side) => {
      await using linked = await startTwice();
      const { summary, error } = await mergeAt(linked, side);
      expect([error, summary.outcome, summary[side].deleted]).toEqual([null, 'completed', 1]);
      expect(held(linked)[side]).toEqual([WHOLE]);
      expect(held(linked)[side === 'left' ? 'right' : 'left']).toHaveLength(2);
      await expectOne(linked);
    },
  );

  test('a plan of a merge writes nothing', async () => {
    await using linked = await startTwice();
    const before = held(linked);
    const order = await orderAt(linked, 'left');
    const { actions, halt } = await linked.app.planMerge(linked.link, order, {
      signal: signal(),
      acceptDeletes: false,
    });
    expect(halt).toBeNull();
    expect(actions.map(({ action, side, why }) => [action, side, why.kind])).toEqual([
      ['update', 'left', 'changed'],
      ['delete', 'left', 'merged'],
    ]);
    expect(held(linked)).toEqual(before);
    expect(await orderAt(linked, 'left')).toEqual(order);
  });

  test.each([
    ['left', 'google', { method: 'POST', path: 'batchDeleteContacts' }],
    ['right', 'service', { method: 'POST', path: '/merge' }],
  ] as const)(
    'R9: duplicates are merged completely after the answer of the %s side was lost',
    async (side, remote, route) => {
      await using linked = await startTwice();
      const fault = { ...route, action: { kind: 'reset-after' } } as const;
      if (remote === 'google') linked.sandbox.google.addFault({ ...fault });
      else linked.sandbox.service.addFault({ ...fault });
      const { survivorId, otherIds } = await orderAt(linked, side);
      await mergeAt(linked, side);
      const gone = await linked.app.store.halves('default', { by: 'id', side, ids: otherIds });
      expect(gone).toMatchObject([{ state: 'gone', mergedInto: survivorId }]);
      await expectOne(linked);
    },
  );

  test('R8: contacts are not merged where none of them is linked or one is deleted', async () => {
    await using linked = await startTwice();
    const order = await orderAt(linked, 'left');
    linked.sandbox.google.account.deletePerson(order.otherIds[0] ?? '');
    const { error } = await linked.app.mergeDuplicates(linked.link, order, { signal: signal(), acceptDeletes: false });
    expect(String(error)).toContain('no longer exists at Google');
    expect(held(linked).right).toHaveLength(2);
  });

  test('an undo restores the merged contact and removes its values from the survivor', async () => {
    await using linked = await startTwice();
    const { summary } = await mergeAt(linked, 'left');
    await linked.undo(summary.run, { acceptDeletes: true });
    const titles = held(linked).left.map(({ title, emails }) => `${title} ${emails.length}`);
    expect(new Set(titles)).toEqual(new Set([' 2', 'Countess 1']));
    await linked.sync({ afterMs: 30 * 60_000 });
    expect(held(linked).right).toHaveLength(2);
    expect(held(linked).left).toHaveLength(2);
  });
});
