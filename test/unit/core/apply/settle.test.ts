import { describe, expect, test } from 'vitest';
import {
  type Bases,
  changedBase,
  copiedBase,
  createdBase,
  type Evidence,
  settleGroups,
  settleUpdate,
  withMoves,
} from '../../../../src/core/apply/settle.ts';
import { contactFieldsOf } from '../../../../src/core/contact/chosen.ts';
import { type Contact, fieldsIn } from '../../../../src/core/contact/contact.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';
import { equalIn } from '../../../../src/core/contact/snapshot.ts';
import { operationOf } from '../../../support/store/rows.ts';
import { record, snapshot, values } from '../reconcile/support.ts';

type Kind = Evidence['kind'];

/** An update of a target contact, with what its side shows after it. */
type Case = {
  /** Both bases before the update, which are equal. */
  readonly base?: Partial<Contact>;
  /** The contact of the source; null for an undo. */
  readonly source?: Partial<Contact> | null;
  readonly before: Partial<Contact>;
  readonly desired: Partial<Contact>;
  readonly shown: Partial<Contact>;
};

const settle = (kind: Kind, { base, source, before, desired, shown }: Case): Bases => {
  const [was, wanted] = [contactOf(before), contactOf(desired)];
  const fields = contactFieldsOf(fieldsIn(was, wanted)).filter((field) => !equalIn(field, was, wanted));
  const operation = {
    ...operationOf('update'),
    fields,
    before: record('target', before),
    desired: wanted,
    source: source === null ? null : record('source', source ?? desired),
  };
  const agreed = snapshot(base ?? before);
  return settleUpdate(operation, { kind, record: record('target', shown) }, { target: agreed, source: agreed });
};

const titled = (title: string): Partial<Contact> => ({ title });
const mails = (...list: readonly string[]): Partial<Contact> => ({ emailAddresses: values(...list) });
const mailsOf = ({ target, source }: Bases) =>
  [target, source].map(({ contact }) => contact.emailAddresses.map(({ value }) => value));
const titlesOf = ({ target, source }: Bases) => [target.contact.title, source.contact.title];

describe('a text that an update wrote', () => {
  const UPDATE = { before: titled('Old'), desired: titled('New') };

  test.each<[string, Kind, string, string, string]>([
    ['R2: is settled as it was sent', 'answer', 'New', 'New', 'New'],
    ['R2: is settled as the side stored it', 'answer', 'Ne', 'Ne', 'New'],
    ['R2: is settled although the side kept the former one', 'answer', 'Old', 'Old', 'New'],
    ['R9: is settled if a read shows it', 'read', 'New', 'New', 'New'],
    ['R9: is written again if a read shows the former one', 'read', 'Old', 'Old', 'Old'],
    ['R9: is written again if a read shows none', 'read', '', 'Old', 'Old'],
  ])('%s (%s: %j)', (_, kind, shown, target, source) => {
    expect(titlesOf(settle(kind, { ...UPDATE, shown: titled(shown) }))).toEqual([target, source]);
  });

  test.each([
    ['R5: another text is an edit', 'Edited', 'Analytical Engine', 'Analytical Engine'],
    ['R2: a part of the text is settled', 'Analytical', 'Analytical', 'Analytical Engine'],
    ['R9: no text is sent again', '', '', ''],
  ])('of which a read shows that it was applied: %s', (_, shown, target, source) => {
    const desired = { title: 'Analytical Engine', company: 'New' };
    const update = { before: titled('Old'), desired, shown: { title: shown, company: 'New' } };
    expect(titlesOf(settle('read', update))).toEqual([target, source]);
  });

  test('R5: another field keeps its base, whatever the response shows in it', () => {
    const { target, source } = settle('answer', { ...UPDATE, shown: { title: 'New', company: 'Edited' } });
    expect([target, source]).toEqual([snapshot(titled('New')), snapshot(titled('New'))]);
  });

  test('R12: one that the source lacks is not agreed on, and an undo settles nothing on the other side', () => {
    const given = { base: titled('Old'), source: titled(''), before: titled(''), desired: titled('Given') };
    expect(titlesOf(settle('answer', { ...given, shown: titled('Given') }))).toEqual(['Old', '']);
    const undo = { source: null, before: titled('New'), desired: titled('Old'), shown: titled('Old') };
    expect(titlesOf(settle('answer', undo))).toEqual(['Old', 'New']);
  });
});

describe('a list that an update wrote', () => {
  const [A, B, OWN, ALTERED] = ['a@x.org', 'b@x.org', 'own@x.org', 'altered@x.org'] as const;

  test.each<[string, Kind, string[], string[], string[], string[], string[]]>([
    ['R3: an element arrives', 'answer', [A], [A, B], [A, B], [A, B], [A, B]],
    ['R3: an element is removed', 'answer', [A, B], [A], [A], [A], [A]],
    ['R2: an element that the side does not store', 'answer', [A], [A, B], [A], [A], [A, B]],
    ['R2: an element that the side keeps', 'answer', [A, B], [A], [A, B], [A, B], [A]],
    ['R2: an element that the side alters', 'answer', [A], [A, B], [A, ALTERED], [A, ALTERED], [A, B]],
    ['R9: an element that a read shows', 'read', [A], [A, B], [A, B], [A, B], [A, B]],
    ['R9: an element that a read does not show', 'read', [A], [A, B], [A], [A], [A]],
    ['R9: a removed element that a read still shows', 'read', [A, B], [A], [A, B], [A, B], [A, B]],
    ['R5: an element that a user added before the read', 'read', [A], [A, B], [A, B, OWN], [A, B], [A, B]],
    ['R5: an element that a user removed before the read', 'read', [A], [A, B], [B], [B, A], [A, B]],
  ])('is compared by element: %s (%s)', (_, kind, before, desired, shown, target, source) => {
    const update = { before: mails(...before), desired: mails(...desired), shown: mails(...shown) };
    expect(mailsOf(settle(kind, update))).toEqual([target, source]);
  });

  test('R5: an element that the update did not write keeps its place in both bases', () => {
    const update = { base: mails(A), source: mails(A, B), before: mails(A, OWN), desired: mails(A, OWN, B) };
    const { target, source } = settle('answer', { ...update, shown: mails(A, OWN, B) });
    for (const { contact } of [target, source]) expect(contact).toMatchObject(mails(A, B));
  });

  test('R12: an element that the source lacks is not agreed on, and an undo settles its own side only', () => {
    const update = { source: mails(A), before: mails(A), desired: mails(A, B), shown: mails(A, B) };
    expect(mailsOf(settle('answer', update))).toEqual([[A], [A]]);
    const undo = { source: null, before: mails(A, B), desired: mails(A), shown: mails(A) };
    expect(mailsOf(settle('answer', undo))).toEqual([[A], [A, B]]);
  });
});

test('R11: groups that were moved are settled as the side shows them, and at the source as they were sent', () => {
  const base = snapshot({}, ['stays', 'leaves']);
  const shown = settleGroups(base, ['joins', 'leaves', 'refused'], ['foreign', 'joins']);
  expect(shown.groupIds).toEqual(['joins', 'stays']);
  expect(withMoves(base, { join: ['joins'], leave: ['leaves'] }).groupIds).toEqual(['joins', 'stays']);
});

describe('R9: a contact that was created', () => {
  const DRAFT = contactOf({ firstName: 'Ada', title: 'Dr', ...mails('a@x.org', 'b@x.org') });
  const STORED = contactOf({ firstName: 'Ada', company: 'Edited', ...mails('a@x.org', 'own@x.org') });

  test.each<[Kind, Partial<Contact>, readonly string[], Partial<Contact>]>([
    ['answer', STORED, ['g', 'foreign'], DRAFT],
    ['read', { firstName: 'Ada', ...mails('a@x.org') }, ['g'], { firstName: 'Ada', ...mails('a@x.org') }],
  ])('has a base of what the %s shows of it, and its source of what has arrived', (kind, created, groupIds, copied) => {
    const evidence = { kind, record: record('new', STORED, { groupIds: ['g', 'foreign'] }) };
    expect(createdBase(DRAFT, evidence, ['g', 'missing'])).toEqual(snapshot(created, groupIds));
    expect(copiedBase(DRAFT, evidence)).toEqual(snapshot(copied));
  });
});

test('R12: changes that a merge by a side made enter a base, and no edit of a user does', () => {
  const base = snapshot({ title: 'Base', ...mails('a@x.org', 'b@x.org') });
  const before = contactOf({ title: 'Base', company: 'Own', ...mails('a@x.org', 'b@x.org', 'own@x.org') });
  const after = contactOf({ title: 'Taken', company: 'Own', ...mails('a@x.org', 'own@x.org', 'taken@x.org') });
  expect(changedBase(base, before, after)).toEqual(snapshot({ title: 'Taken', ...mails('a@x.org', 'taken@x.org') }));
});
