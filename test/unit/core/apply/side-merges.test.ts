import { expect, test } from 'vitest';
import { observeStray } from '../../../../src/core/apply/side-merges.ts';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import { contactOf, type ContactRecord } from '../../../../src/core/contact/record.ts';
import { KNOWN, NOW, openOperation } from './support.ts';
import { record, snapshot, values } from '../reconcile/support.ts';
import { linkedPair, pairedHalf, setOf } from '../../engine/support.ts';

const AUGUSTA = { firstName: 'Augusta', title: 'Countess', emailAddresses: values('augusta@x.org') };
const BEFORE = { firstName: 'Ada', emailAddresses: values('ada@x.org') };
const DESIRED = { ...BEFORE, title: 'Author', emailAddresses: values('ada@x.org', 'new@x.org') };

const UPDATE = openOperation('update', {
  fields: ['title', 'emailAddresses'],
  desired: contactOf(DESIRED),
  source: record('l', DESIRED),
  before: record('r', BEFORE),
});

const stray = (
  now: Partial<Contact>,
  write: Parameters<typeof observeStray>[1] = UPDATE,
  given: Partial<ContactRecord> = {},
) => {
  const own = pairedHalf('right', 'r2', 2, { record: record('r2', AUGUSTA) });
  const other = pairedHalf('left', 'l2', 2, { record: record('l2', AUGUSTA) });
  const set = setOf([...linkedPair(1, 'l', 'r'), own, other]);
  observeStray(set, write, record('r2', now, given), KNOWN);
  return set;
};

test('[R5, R12] the written values on the contact of another pair enter both bases: the values of the other side are restored', () => {
  const now = { ...AUGUSTA, title: 'Author', emailAddresses: values('ada@x.org', 'new@x.org') };
  const base = snapshot({ ...AUGUSTA, title: 'Author', emailAddresses: values('new@x.org') });
  expect(stray(now).pair(2)).toMatchObject({
    left: { state: 'changed', base, record: record('l2', AUGUSTA) },
    right: { state: 'changed', base, record: { contact: contactOf(now) }, writtenAtMs: NOW },
  });
});

test('[R5] other differences there are edits of its user', () => {
  const now = { ...AUGUSTA, firstName: 'Ada', title: 'Duchess', emailAddresses: values('augusta@x.org', 'ada@x.org') };
  const base = snapshot(AUGUSTA);
  expect(stray(now).pair(2)).toMatchObject({ left: { base }, right: { base, record: { contact: contactOf(now) } } });
});

test('[R11, R12] a membership that reached the contact of another pair enters both bases', () => {
  const write = openOperation('membership', { join: ['s', 't'], before: record('r', BEFORE) });
  const pair = stray(AUGUSTA, write, { groupIds: ['s'] }).pair(2);
  expect([pair?.left?.base?.groupIds, pair?.right?.base?.groupIds]).toEqual([['g'], ['s']]);
});

test('[R12] a write that reached its own contact, or a contact without a pair, is left to be settled', () => {
  const set = setOf(linkedPair(1, 'l', 'r'));
  for (const id of ['r', 'r3']) observeStray(set, UPDATE, record(id, DESIRED), KNOWN);
  expect(set.changes()).toEqual([]);
});
