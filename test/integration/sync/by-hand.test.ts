import { describe, expect, test } from 'vitest';
import type { Verdict } from '../../../src/core/reconcile/verdict.ts';
import { changeLink } from '../../../src/engine/change-link.ts';
import { FIRST_SYNC_WAITS } from '../../../src/engine/errors.ts';
import { includeAgain, leaveOut, LeaveOutError } from '../../../src/engine/leave-out.ts';
import { giveVerdict } from '../../../src/engine/verdicts.ts';
import { googleId, person, serviceId } from '../../support/linked-people.ts';
import { type LinkedSandbox, startLinkedSandbox } from '../../support/linked-sandbox.ts';
import { operationOf } from '../../support/store/rows.ts';

const named = (givenName: string, familyName: string, address: string, title = '') =>
  person(givenName, { familyName, title, emails: [{ value: address, label: null }] });

const parts = ({ app, clock }: LinkedSandbox) => ({
  store: app.store,
  clock,
  newId: () => 'by-hand',
  holders: app.holders,
});

type Asked = Pick<Verdict, 'leftId' | 'rightId' | 'says'>;
const say = (linked: LinkedSandbox, asked: Asked) => giveVerdict(parts(linked), 'default', asked);

const counts = ({ sandbox }: LinkedSandbox) => [
  sandbox.google.account.people().length,
  sandbox.service.account.contacts().length,
];
const verdicts = async ({ app }: LinkedSandbox) => (await app.store.link('default')).verdicts;

const sync = async (linked: LinkedSandbox, kind: 'incremental' | 'full' = 'incremental') => {
  const summary = await linked.synced({ afterMs: 60_000, kind });
  return [summary.paired, summary.left.created, summary.right.created];
};

const household = (): Promise<LinkedSandbox> =>
  startLinkedSandbox({
    google: [named('Mia', 'Smith', 'home@x.org'), named('Tim', 'Smith', 'home@x.org')],
    service: [named('Amelia', 'Smith', 'home@x.org'), named('Eve', 'Smith', 'home@x.org')],
  });

const namesakes = (createKnownEmail = 'duplicate'): Promise<LinkedSandbox> =>
  startLinkedSandbox({
    variants: { service: { createKnownEmail: createKnownEmail as 'duplicate' } },
    google: [named('Ann', 'Lee', 'ann@x.org', 'Baker')],
    service: [named('Ann', 'Lee', 'ann@x.org', 'Brewer')],
  });

describe('R13: a decision by hand about two contacts', () => {
  test('a decision to pair joins exactly these two contacts of a household in the next run, without a create', async () => {
    await using linked = await household();
    const asked = { leftId: googleId(linked, 'Mia'), rightId: serviceId(linked, 'Amelia') };
    expect((await linked.plan()).unpaired).toHaveLength(1);
    await say(linked, { ...asked, says: 'together' });
    const { changes } = await linked.plan();
    expect(changes.filter(({ action }) => action === 'pair')).toMatchObject([{ ...asked, why: { kind: 'by-hand' } }]);
    // The plan only looked: what was said is still there.
    expect(await verdicts(linked)).toHaveLength(1);
    expect(await sync(linked)).toEqual([1, 1, 1]);
    expect(counts(linked)).toEqual([3, 3]);
    const pair = await linked.app.store.halves('default', { by: 'id', side: 'left', ids: [asked.leftId] });
    expect(await linked.app.store.halves('default', { by: 'id', side: 'right', ids: [asked.rightId] })).toMatchObject([
      { pair: pair[0]?.pair },
    ]);
    expect(await sync(linked)).toEqual([0, 0, 0]);
    expect(await verdicts(linked)).toEqual([]);
    await expect(say(linked, { ...asked, says: 'apart' })).rejects.toThrow(/paired already.*`contact-sync undo RUN`/u);
    const other = { leftId: asked.leftId, rightId: serviceId(linked, 'Eve') };
    await expect(say(linked, { ...other, says: 'together' })).rejects.toThrow('Merge the two contacts');
  });

  test('a decision to keep apart leaves two contacts with one name on both sides, also after a resync', async () => {
    await using linked = await namesakes();
    const asked = { leftId: googleId(linked, 'Ann'), rightId: serviceId(linked, 'Ann') };
    await say(linked, { ...asked, says: 'apart' });
    expect(await sync(linked)).toEqual([0, 1, 1]);
    expect(counts(linked)).toEqual([2, 2]);
    expect(await sync(linked, 'full')).toEqual([0, 0, 0]);
    expect(await sync(linked)).toEqual([0, 0, 0]);
    expect(counts(linked)).toEqual([2, 2]);
    expect(await verdicts(linked)).toMatchObject([{ ...asked, says: 'apart' }]);
    const titles = linked.sandbox.service.account.contacts().map(({ title }) => title);
    expect(new Set(titles)).toEqual(new Set(['Baker', 'Brewer']));
  });

  test.each([
    ['existing', 1],
    ['422', 0],
  ] as const)(
    'two contacts stay apart where a create with the address of another contact is refused (%s)',
    async (known, onBaker) => {
      await using linked = await namesakes(known);
      const asked = { leftId: googleId(linked, 'Ann'), rightId: serviceId(linked, 'Ann') };
      await say(linked, { ...asked, says: 'apart' });
      expect(await sync(linked)).toEqual([0, 1, 1]);
      const held = linked.sandbox.service.account
        .contacts()
        .map((each) => [each.title, each.email_addresses.length] as const);
      expect(Object.fromEntries(held)).toEqual({ Baker: onBaker, Brewer: 1 });
      expect(await sync(linked, 'full')).toEqual([0, 0, 0]);
      expect(counts(linked)).toEqual([2, 2]);
    },
  );

  test('R9: two contacts stay apart where the answer to a create was lost and the other contact is similar to the created one', async () => {
    await using linked = await startLinkedSandbox({ google: [named('Ann', 'Lee', 'ann@x.org')], service: [] });
    // The create as a whole, and without either part of the name.
    const action = { kind: 'status', status: 422 } as const;
    linked.sandbox.service.addFault({ method: 'POST', path: '/contacts', times: 3, action });
    expect(await sync(linked)).toEqual([0, 0, 0]);
    const leftId = googleId(linked, 'Ann');
    const [ann] = await linked.app.store.halves('default', { by: 'id', side: 'left', ids: [leftId] });
    if (ann === undefined) throw new Error('The contact was not read.');
    const { contact } = ann.record;
    const operation = operationOf('create', { side: 'right', leftId, rightId: null, desired: contact });
    await changeLink(parts(linked), 'default', () => [
      { kind: 'intend', run: 'lost', operation, atMs: linked.clock.now() },
    ]);
    linked.clock.advance(60_000);
    const other = { first_name: 'Ann', last_name: 'Lee', email_addresses: [{ address: 'ann@x.org' }] };
    const { id } = linked.sandbox.service.account.createContact(other);
    await say(linked, { leftId, rightId: id, says: 'apart' });
    linked.clock.advance(24 * 60 * 60_000);
    expect(await sync(linked)).toEqual([0, 1, 1]);
    expect(counts(linked)).toEqual([2, 2]);
  });

  test('a decision that contradicts another one, or that swaps the sides, is refused', async () => {
    await using linked = await household();
    const [mia, tim] = [googleId(linked, 'Mia'), googleId(linked, 'Tim')];
    const amelia = serviceId(linked, 'Amelia');
    await say(linked, { leftId: mia, rightId: amelia, says: 'together' });
    await expect(say(linked, { leftId: tim, rightId: amelia, says: 'together' })).rejects.toThrow(
      `contact-sync pair --forget ${mia} ${amelia}`,
    );
    // The page says the same without a terminal's commands.
    await expect(say(linked, { leftId: tim, rightId: amelia, says: 'together' })).rejects.toMatchObject({
      said: `${mia} and ${amelia} are to be paired. Remove that decision first.`,
    });
    await say(linked, { leftId: mia, rightId: amelia, says: 'apart' });
    await sync(linked);
    await expect(say(linked, { leftId: amelia, rightId: mia, says: 'apart' })).rejects.toThrow('other side');
  });
});

const serviceNames = ({ sandbox }: LinkedSandbox) =>
  sandbox.service.account
    .contacts()
    .map((contact) => contact.first_name ?? '')
    .toSorted();

const halted = async (): Promise<LinkedSandbox> => {
  const google = [named('Ann', 'Lee', 'ann@x.org'), named('Ben', 'Moor', 'ben@x.org')];
  const linked = await startLinkedSandbox({ google, service: [] }, { FIRST_SYNC: 'review' });
  expect((await linked.sync({ kind: 'full' })).summary.outcome).toBe('halted');
  await leaveOut(parts(linked), 'default', { side: 'left', id: googleId(linked, 'Ann') });
  await linked.synced({ kind: 'full', acceptDeletes: true, acceptedHalt: FIRST_SYNC_WAITS });
  return linked;
};

test('a contact that is left out of the first sync is not created, also after edits', async () => {
  await using linked = await halted();
  expect(serviceNames(linked)).toEqual(['Ben']);
  linked.sandbox.google.account.updatePerson(googleId(linked, 'Ann'), { organizations: [{ title: 'Baker' }] });
  await sync(linked);
  await sync(linked, 'full');
  expect(serviceNames(linked)).toEqual(['Ben']);
});

test('a contact whose deletion is left out stays', async () => {
  const google = [
    named('Ann', 'Lee', 'ann@x.org'),
    named('Ben', 'Moor', 'ben@x.org'),
    named('Cleo', 'Fox', 'cleo@x.org'),
  ];
  await using linked = await startLinkedSandbox({ google, service: [] }, { DELETE_LIMIT: '0' });
  await sync(linked, 'full');
  linked.sandbox.google.account.deletePerson(googleId(linked, 'Ann'));
  expect((await linked.sync({ afterMs: 60_000, kind: 'incremental' })).summary.outcome).toBe('halted');
  await leaveOut(parts(linked), 'default', { side: 'right', id: serviceId(linked, 'Ann') });
  await sync(linked);
  await sync(linked, 'full');
  expect(serviceNames(linked)).toEqual(['Ann', 'Ben', 'Cleo']);
  expect(linked.sandbox.google.account.people()).toHaveLength(2);
});

test('a contact with a counterpart cannot be left out, and one that is not left out cannot be included again', async () => {
  await using linked = await halted();
  const contact = { side: 'left', id: googleId(linked, 'Ben') } as const;
  await expect(leaveOut(parts(linked), 'default', contact)).rejects.toThrow(LeaveOutError);
  await expect(includeAgain(parts(linked), 'default', contact)).rejects.toThrow(LeaveOutError);
  await expect(leaveOut(parts(linked), 'default', { side: 'left', id: 'people/none' })).rejects.toThrow(LeaveOutError);
});
