import { describe, expect, test } from 'vitest';
import * as settling from '../../../../src/core/apply/settle.ts';
import { agreedBase } from '../../../../src/core/apply/store-task.ts';
import { shownFields, tookEffect } from '../../../../src/core/apply/traces.ts';
import { contactFieldsOf } from '../../../../src/core/contact/chosen.ts';
import { type Contact, fieldsIn, type SyncedField } from '../../../../src/core/contact/contact.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';
import { equalIn } from '../../../../src/core/contact/snapshot.ts';
import { operationOf } from '../../../support/store/rows.ts';
import { record, snapshot, values } from '../reconcile/support.ts';

type Kind = settling.Evidence['kind'];

/** An update of a contact. Both bases before it are equal; the source is null for an undo. */
type Update = {
  readonly base?: Partial<Contact>;
  readonly source?: Partial<Contact> | null;
  readonly before: Partial<Contact>;
  readonly desired: Partial<Contact>;
};

/** The bases of the target and the source after an update, of which the target's side shows this contact. */
const settle = (kind: Kind, { base, source, before, desired }: Update, shown: Partial<Contact>) => {
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
  const evidence = { kind, record: record('target', shown) };
  const bases = settling.settleUpdate(operation, evidence, { target: agreed, source: agreed });
  return [bases.target, bases.source];
};

const titled = (title: string): Partial<Contact> => ({ title });
/** The email addresses of these letters. */
const mails = (letters: string): Partial<Contact> => ({
  emailAddresses: values(...[...letters].map((letter) => `${letter}@x.org`)),
});

describe('an update settles', () => {
  const CLEAR = { before: titled('Old'), desired: titled('New') };
  const ENGINE = 'Analytical Engine';
  const job = (title: string) => ({ title, company: 'New' });
  const LONG = { before: titled('Old'), desired: job(ENGINE) };

  test.each<[string, Kind, Update, Partial<Contact>, string, string]>([
    ['R2: a text as it was sent', 'answer', CLEAR, titled('New'), 'New', 'New'],
    ['R2: a text as the side stored it', 'answer', CLEAR, titled('Ne'), 'Ne', 'New'],
    ['R2: a text although the side kept the former one', 'answer', CLEAR, titled('Old'), 'Old', 'New'],
    ['R9: a text that a read shows', 'read', CLEAR, titled('New'), 'New', 'New'],
    ['R9: no text if a read shows the former one', 'read', CLEAR, titled('Old'), 'Old', 'Old'],
    ['R9: no text if a read shows none', 'read', CLEAR, {}, 'Old', 'Old'],
    ['R5: a text that a user then changed', 'read', LONG, job('X'), ENGINE, ENGINE],
    ['R2: a part of the text', 'read', LONG, job('Analytical'), 'Analytical', ENGINE],
    ['R9: no text that is missing in an applied update', 'read', LONG, { company: 'New' }, '', ''],
    ['R12: no text that the source lacks', 'answer', { ...CLEAR, source: {} }, titled('New'), 'Old', ''],
    ['an undo only on its side', 'answer', { ...CLEAR, source: null }, titled('New'), 'New', 'Old'],
  ])('%s (%s)', (_, kind, update, shown, target, source) => {
    expect(settle(kind, update, shown).map(({ contact }) => contact.title)).toEqual([target, source]);
  });

  test('R5: no other field, whatever the response shows in it', () => {
    const after = snapshot(titled('New'));
    expect(settle('answer', CLEAR, { title: 'New', company: 'Edited' })).toEqual([after, after]);
  });

  // The elements of a list before the update, as sent, and as shown.
  test.each<[string, Kind, string, string, string, string, string]>([
    ['R3: an added element', 'answer', 'a', 'ab', 'ab', 'ab', 'ab'],
    ['R3: a removed element', 'answer', 'ab', 'a', 'a', 'a', 'a'],
    ['R2: an element that the side does not store', 'answer', 'a', 'ab', 'a', 'a', 'ab'],
    ['R2: an element that the side keeps', 'answer', 'ab', 'a', 'ab', 'ab', 'a'],
    ['R2: an element that the side alters', 'answer', 'a', 'ab', 'ax', 'ax', 'ab'],
    ['R9: an element that a read shows', 'read', 'a', 'ab', 'ab', 'ab', 'ab'],
    ['R9: no element that a read does not show', 'read', 'a', 'ab', 'a', 'a', 'a'],
    ['R9: no removal if a read still shows the element', 'read', 'ab', 'a', 'ab', 'ab', 'ab'],
    ['R5: no element that a user added before the read', 'read', 'a', 'ab', 'abo', 'ab', 'ab'],
    ['R5: no removal by a user before the read', 'read', 'a', 'ab', 'b', 'ba', 'ab'],
  ])('%s (%s)', (_, kind, before, desired, shown, target, source) => {
    const bases = settle(kind, { before: mails(before), desired: mails(desired) }, mails(shown));
    expect(bases).toEqual([snapshot(mails(target)), snapshot(mails(source))]);
  });

  // The elements of both bases, of the source, and of the target before the update and as sent.
  test.each<[string, string, string | null, string, string, string, string]>([
    ['R5: no element that it did not write', 'a', 'ab', 'ao', 'aob', 'ab', 'ab'],
    ['R12: no element that the source lacks', 'a', 'a', 'a', 'ab', 'a', 'a'],
    ['an undo only on its side', 'ab', null, 'ab', 'a', 'a', 'ab'],
  ])('%s', (_, base, own, before, desired, target, source) => {
    const update = { base: mails(base), source: own === null ? null : mails(own), before: mails(before) };
    const bases = settle('answer', { ...update, desired: mails(desired) }, mails(desired));
    expect(bases).toEqual([snapshot(mails(target)), snapshot(mails(source))]);
  });
});

test('R11: groups that were moved are settled as the side shows them, and at the source as they were sent', () => {
  const base = snapshot({}, ['stays', 'leaves']);
  const shown = settling.settleGroups(base, ['joins', 'leaves', 'refused'], ['foreign', 'joins']);
  expect(shown.groupIds).toEqual(['joins', 'stays']);
  expect(settling.withMoves(base, { join: ['joins'], leave: ['leaves'] }).groupIds).toEqual(['joins', 'stays']);
});

const DRAFT = contactOf({ firstName: 'Ada', title: 'Dr', ...mails('ab') });
const STORED = contactOf({ firstName: 'Ada', company: 'Edited', ...mails('ao') });

test.each<[Kind, Partial<Contact>, readonly string[], Partial<Contact>]>([
  ['answer', STORED, ['g', 'foreign'], DRAFT],
  ['read', { firstName: 'Ada', ...mails('a') }, ['g'], { firstName: 'Ada', ...mails('a') }],
])('R9: a created contact has the base that the %s shows, its source what arrived', (kind, own, groupIds, copied) => {
  const evidence = { kind, record: record('new', STORED, { groupIds: ['g', 'foreign'] }) };
  expect(settling.createdBase(DRAFT, evidence, ['g', 'missing'])).toEqual(snapshot(own, groupIds));
  expect(settling.copiedBase(DRAFT, evidence)).toEqual(snapshot(copied));
});

test('R12: changes that a merge by a side made enter a base, and no edit of a user does', () => {
  const base = snapshot({ title: 'Base', ...mails('ab') });
  const before = contactOf({ title: 'Base', company: 'Own', ...mails('abo') });
  const after = contactOf({ title: 'Taken', company: 'Own', ...mails('aot') });
  expect(settling.changedBase(base, before, after)).toEqual(snapshot({ title: 'Taken', ...mails('at') }));
});

test('R11: a group in which both contacts are, or neither, is agreed on while another move is to be written', () => {
  const [base, now] = [snapshot({}, ['old', 'left']), snapshot({}, ['both', 'own'])];
  const half = { base, record: record('own', now.contact, { groupIds: now.groupIds }) };
  const other = { base: snapshot({}), record: record('other', {}) };
  const agreed = (...outstanding: SyncedField[]) =>
    agreedBase(half, other, new Set(outstanding), ['both', 'old']).groupIds;
  expect([agreed('buckets'), agreed()]).toEqual([
    ['both', 'left'],
    ['both', 'own'],
  ]);
});

test('R2, R5: an element that the other side stores in another form is not agreed on when it is removed', () => {
  const base = snapshot({ relations: values('Annabel') });
  const otherBase = snapshot({ relations: values('Annabel (sister)') });
  const half = { base, record: record('own', {}) };
  const other = { base: otherBase, record: record('other', otherBase.contact) };
  const agreed = agreedBase(half, other, new Set(['relations']), []);
  expect(agreed.contact.relations).toEqual(values('Annabel'));
});

test.each<[string, Partial<Contact>, Partial<Contact>, Partial<Contact>, boolean]>([
  ['a text is as sent', titled('Old'), titled('New'), titled('New'), true],
  ['a text is as before', titled('Old'), titled('New'), titled('Old'), false],
  ['a text is neither as before nor as sent', titled('Old'), titled('New'), titled('Foreign'), false],
  ['a text was cleared as sent', titled('Old'), titled(''), titled(''), true],
  ['a text that was to be cleared has another value', titled('Old'), titled(''), titled('Foreign'), false],
  ['a text was cut off by its side', titled(''), titled('Analytical Engine'), titled('Analytical'), true],
  ['a text was sent that already existed', titled('Same'), titled('Same'), titled('Same'), false],
  ['an element was added', mails('a'), mails('ab'), mails('aB'), true],
  ['an element was not added', mails('a'), mails('ab'), mails('a'), false],
  ['an element was removed', mails('ab'), mails('a'), mails('a'), true],
  ['an element was not removed', mails('ab'), mails('a'), mails('ba'), false],
  ['one of two elements was added', mails(''), mails('ab'), mails('b'), true],
  ['only another field is as sent', titled('Old'), titled('New'), { title: 'Old', company: 'New' }, false],
  ['one of two fields is as sent', {}, { title: 'New', company: 'New' }, { company: 'New' }, true],
])('R9: an update without a response took effect if the contact shows it: %s', (_, before, desired, now, expected) => {
  const [was, wanted] = [contactOf(before), contactOf(desired)];
  const fields = Object.keys(desired) as SyncedField[];
  expect(tookEffect({ fields, before: was, desired: wanted }, contactOf(now))).toBe(expected);
});

test.each<[string, boolean]>([
  ['May', true],
  ['Scribble', false],
])('R9: an extra that shows %s after an update from April to May took effect: %s', (text, expected) => {
  const of = (lastContacted: string) => contactOf({ lastContacted });
  const fields = shownFields(['lastContacted'], of('May'), of(text), of('April'));
  expect([...fields]).toEqual(expected ? ['lastContacted'] : []);
});
