import { describe, expect, test } from 'vitest';
import { applyRead, pairOfOperation } from '../../../../src/core/apply/reads.ts';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import { contactOf, type ContactRecord } from '../../../../src/core/contact/record.ts';
import type { ReadAnswer } from '../../../../src/core/contact/requests.ts';
import type { Sides } from '../../../../src/core/contact/side.ts';
import { mergeMembership } from '../../../../src/core/reconcile/membership.ts';
import { mergeHalves } from '../../../../src/core/reconcile/merge.ts';
import { KNOWN, NOTHING, NOW, openOperation } from './support.ts';
import { link, policyWith, record, snapshot, values } from '../reconcile/support.ts';
import { ADA, adaRecord, linkedPair, pairedHalf, setOf } from '../../engine/support.ts';

const OLD = { title: 'Old', company: 'Old' };

/** The title was edited on the left side, and the company on the right side in the meantime. */
const left = pairedHalf('left', 'l', 1, {
  state: 'changed',
  record: record('l', { ...ADA, ...OLD, title: 'New' }),
  base: snapshot({ ...ADA, ...OLD }),
});
const right = pairedHalf('right', 'r', 1, { record: record('r', { ...ADA, ...OLD }) });
const intent = {
  fields: ['title' as const],
  desired: contactOf({ ...ADA, ...OLD, title: 'New' }),
  source: left.record,
};
const UPDATE = openOperation('update', { ...intent, before: right.record });

const settle = (
  answer: ReadAnswer | undefined,
  halves: readonly Half[] = [left, right],
  write: Parameters<typeof applyRead>[1] = UPDATE,
) => {
  const set = setOf(halves);
  const finding = applyRead(set, write, answer, KNOWN);
  return { set, finding };
};

const found = (
  contact: Partial<Contact>,
  given: Partial<ContactRecord> = {},
): Extract<ReadAnswer, { kind: 'found' }> => {
  return { kind: 'found', record: record('r', { ...ADA, ...contact }, { version: '2', ...given }) };
};

describe('[R9] an update without a response', () => {
  test('that took effect enters both bases: it is not sent again', () => {
    const answer = found({ ...OLD, title: 'New' });
    const { set, finding } = settle(answer);
    expect(finding).toEqual({ applied: true, after: answer.record, error: null });
    expect(set.pair(1)).toMatchObject({
      status: 'linked',
      left: { state: 'settled', base: snapshot({ ...ADA, ...OLD, title: 'New' }), record: left.record },
      right: { base: snapshot({ ...ADA, ...OLD, title: 'New' }), record: answer.record, writtenAtMs: NOW },
    });
  });

  test('[R5, R12] leaves open a text that the merge survivor had of its own, whichever other values show', () => {
    const before = record('r', { ...ADA, ...OLD });
    const cleared = { ...left, record: record('l', { ...ADA, title: 'New', company: '' }) };
    const desired = contactOf({ ...ADA, title: 'New' });
    const fields = ['title', 'company'] as const;
    const write = openOperation('update', { fields, desired, source: cleared.record, before });
    const moved = record('survivor', { ...ADA, title: 'Own' });
    const { set } = settle({ kind: 'moved', record: moved }, [cleared, right], write);
    expect(set.pair(1)).toMatchObject({
      left: { base: snapshot({ ...ADA, title: 'Old' }) },
      right: { id: 'survivor', base: snapshot({ ...ADA, title: 'Old' }) },
    });
  });

  test('[R12] is not detected on the contact of another pair into which its own contact was merged', () => {
    const moved = record('r2', { ...ADA, ...OLD, title: 'New' });
    const { set, finding } = settle({ kind: 'moved', record: moved }, [left, right, ...linkedPair(2, 'l2', 'r2')]);
    expect(finding).toEqual({ applied: false, after: moved, error: null });
    expect(set.pair(1)?.right).toMatchObject({ id: 'r', state: 'gone', mergedInto: 'r2' });
  });

  test('[R5] leaves values that a user changed since out of the bases', () => {
    const { set } = settle(found({ title: 'New', company: 'Foreign' }));
    expect(set.pair(1)).toMatchObject({
      left: { base: snapshot({ ...ADA, ...OLD, title: 'New' }) },
      right: {
        state: 'changed',
        base: snapshot({ ...ADA, ...OLD, title: 'New' }),
        record: { contact: { company: 'Foreign' } },
      },
    });
  });

  test('[R5] uses the requested values as its response if a user changed a written field since: that is an edit', () => {
    const requested = { ...ADA, title: 'New', company: 'Asked' };
    const source = { ...left, record: record('l', requested) };
    const fields = ['title', 'company'] as const;
    const given = { fields, desired: contactOf(requested), source: source.record };
    const write = openOperation('update', { ...given, before: right.record });
    const { set } = settle(found({ title: 'New', company: 'Foreign' }), [source, right], write);
    expect(set.pair(1)).toMatchObject({
      left: { base: snapshot(requested) },
      right: { base: snapshot(requested), record: { contact: { company: 'Foreign' } } },
    });
  });

  test('[R5] leaves a differing text open if only the value to remove shows: a user may have removed that value', () => {
    const cleared = { ...left, record: record('l', { ...ADA, title: 'New', company: '' }) };
    const desired = contactOf({ ...ADA, title: 'New' });
    const given = { fields: ['title', 'company'] as const, desired, source: cleared.record };
    const write = openOperation('update', { ...given, before: right.record });
    const { set, finding } = settle(found({ title: 'Foreign' }), [cleared, right], write);
    expect(finding).toMatchObject({ applied: true });
    const base = snapshot({ ...ADA, title: 'Old' });
    expect(set.pair(1)).toMatchObject({ left: { base }, right: { base, record: { contact: { title: 'Foreign' } } } });
  });

  test('[R5] leaves open the other fields that the source changed', () => {
    const edited = { ...left, record: record('l', { ...ADA, title: 'New', company: 'Edited' }) };
    const write = openOperation('update', { ...intent, source: edited.record, before: right.record });
    const { set } = settle(found({ ...OLD, title: 'New' }), [edited, right], write);
    expect(set.pair(1)?.left).toMatchObject({ base: snapshot({ ...ADA, ...OLD, title: 'New' }) });
  });

  test('[R3] adopts only the written elements of a list', () => {
    const mails = (...list: string[]) => ({ ...ADA, emailAddresses: values(...list) });
    const source = pairedHalf('left', 'l', 1, {
      state: 'changed',
      record: record('l', mails('a@x.org', 'new@x.org')),
      base: snapshot(mails('a@x.org')),
    });
    const target = pairedHalf('right', 'r', 1, {
      state: 'changed',
      record: record('r', mails('a@x.org', 'own@x.org')),
      base: snapshot(mails('a@x.org')),
    });
    const desired = contactOf(mails('a@x.org', 'own@x.org', 'new@x.org'));
    const write = openOperation('update', {
      fields: ['emailAddresses'],
      desired,
      source: source.record,
      before: target.record,
    });
    const { set } = settle(found(mails('a@x.org', 'own@x.org', 'new@x.org')), [source, target], write);
    expect(set.pair(1)).toMatchObject({
      left: { base: snapshot(mails('a@x.org', 'new@x.org')) },
      right: { base: snapshot(mails('a@x.org', 'new@x.org')) },
    });
  });

  test('[R9] removes an email again if it still exists next to one that a user added in the meantime', () => {
    const mails = (...list: string[]) => ({ ...ADA, title: 'New', emailAddresses: values(...list) });
    const base = snapshot({ ...mails('gone@x.org'), title: 'Old' });
    const source = pairedHalf('left', 'l', 1, { state: 'changed', record: record('l', mails()), base });
    const before = record('r', { ...mails('gone@x.org'), title: 'Old' });
    const target = pairedHalf('right', 'r', 1, { record: before, base });
    const given = { fields: ['title', 'emailAddresses'] as const, desired: contactOf(mails()), source: source.record };
    const write = openOperation('update', { ...given, before });
    // The users gave both sides the same title: only that makes the write look applied.
    const { set } = settle(found(mails('gone@x.org', 'own@x.org')), [source, target], write);
    const { left: own, right: other } = set.pair(1) ?? {};
    expect(own?.base).toEqual(snapshot(mails('gone@x.org')));
    expect(other?.base).toEqual(snapshot(mails('gone@x.org')));
    if (!own || !other) throw new Error('The pair has lost a half.');
    const { desired } = mergeHalves({ left: own, right: other }, policyWith({}));
    expect(desired.left.emailAddresses).toEqual(values('own@x.org'));
    expect(desired.right.emailAddresses).toEqual(values('own@x.org'));
  });

  test('[R12] leaves a given text to be propagated, and settles what the other half cleared', () => {
    const cleared = pairedHalf('left', 'l', 1, {
      state: 'changed',
      record: record('l', { ...ADA, title: '' }),
      base: snapshot({ ...ADA, title: 'Old' }),
    });
    const survivor = pairedHalf('right', 'r', 1, { record: record('r', { ...ADA, title: 'Old' }) });
    const given = {
      fields: ['title' as const],
      desired: contactOf({ ...ADA, title: 'Given' }),
      source: cleared.record,
    };
    const write = openOperation('update', { ...given, before: survivor.record });
    const { left: own, right: other } = settle(found({ title: 'Given' }), [cleared, survivor], write).set.pair(1) ?? {};
    if (!own || !other) throw new Error('The pair has lost a half.');
    const { conflicts, desired, fields } = mergeHalves({ left: own, right: other }, policyWith({}));
    expect(conflicts).toEqual([]);
    expect(fields).toEqual({ left: ['title'], right: [] });
    expect(desired.left.title).toBe('Given');
  });

  test('leaves the record of the other half, and the time at which it was last received', () => {
    const settled: Half = { ...left, state: 'settled' };
    const { set } = settle(found({ ...OLD, title: 'New' }), [settled, right]);
    expect(set.pair(1)?.left).toMatchObject({ record: settled.record, heardAtMs: settled.heardAtMs });
  });

  test('[R4] that did not take effect is planned again, also if the read returns a value that had stayed on its side', () => {
    const waiting: Half = { ...right, state: 'settled', record: found({ ...OLD, company: 'Own' }).record };
    const { set, finding } = settle({ kind: 'found', record: waiting.record }, [left, waiting]);
    expect(finding).toMatchObject({ applied: false });
    expect(set.pair(1)?.right).toMatchObject({ state: 'changed', record: waiting.record, base: right.base });
  });

  test('[R7] that was merged into a contact known as deleted: the read is evidence that this contact exists', () => {
    const deleted = pairedHalf('right', 'r2', 2, { state: 'gone' });
    const moved = record('r2', { ...ADA, title: 'Own' });
    const { set } = settle({ kind: 'moved', record: moved }, [left, right, pairedHalf('left', 'l2', 2), deleted]);
    expect(set.pair(1)?.right).toMatchObject({ id: 'r', state: 'gone', mergedInto: 'r2' });
    expect(set.pair(2)?.right).toMatchObject({ id: 'r2', state: 'changed', record: moved });
  });

  test('that did not take effect stores later edits of a user', () => {
    const { set } = settle(found({ ...OLD, company: 'Foreign' }));
    expect(set.pair(1)?.right).toMatchObject({
      state: 'changed',
      base: right.base,
      record: { contact: { company: 'Foreign' } },
    });
  });

  test('of a pair whose other half is deleted by now counts as applied, and the next plan decides about it', () => {
    const { set, finding } = settle(found({ ...OLD, title: 'New' }), [{ ...left, state: 'gone' }, right]);
    expect(finding).toMatchObject({ applied: true });
    expect(set.pair(1)?.left?.state).toBe('gone');
  });

  test('finds its pair by the contact if the entry has no pair', () => {
    const write = openOperation('update', { ...intent, before: right.record, pairId: null });
    expect(pairOfOperation(setOf([left, right]), write, 'r')?.id).toBe(1);
    expect(pairOfOperation(setOf([{ ...right, pair: null }]), write, 'r')).toBeNull();
  });

  test('finds the pair of its entry, whatever id its contact has by now', () => {
    const renamed = { ...right, id: 'renamed' };
    expect(pairOfOperation(setOf([left, renamed]), UPDATE, 'r')).toMatchObject({ id: 1, right: renamed });
  });
});

describe('[R9] any write without a response', () => {
  const MOVE = openOperation('membership', { join: ['g'], before: right.record });
  const DELETE = openOperation('delete', { before: right.record });
  const WRITES = { update: UPDATE, membership: MOVE, delete: DELETE };
  const KINDS = ['update', 'membership', 'delete'] as const;

  const UNREAD = [
    undefined,
    { kind: 'unreadable', reason: 'no shape' },
    { kind: 'withheld', reason: 'refused' },
  ] as const satisfies readonly (ReadAnswer | undefined)[];

  test.each(KINDS)('to a contact that is deleted and cannot be read needs no settling: a %s', (kind) => {
    for (const answer of UNREAD) {
      const { set, finding } = settle(answer, [left, { ...right, state: 'gone' }], WRITES[kind]);
      expect(finding).toEqual({ ...NOTHING, applied: kind === 'delete' });
      expect(set.changes()).toEqual([]);
    }
  });

  test.each(KINDS)('[R15] to a contact that cannot be read stays open, and the contact is unchanged: a %s', (kind) => {
    for (const answer of UNREAD) {
      const { set, finding } = settle(answer, undefined, WRITES[kind]);
      expect(finding).toEqual({ unreadable: answer?.reason ?? 'the side did not answer for the contact' });
      expect(set.changes()).toEqual([]);
    }
  });

  test.each(KINDS)('[R12] to a contact that has another id follows it: a %s', (kind) => {
    const after = adaRecord('renamed');
    const { set, finding } = settle({ kind: 'moved', record: after }, undefined, WRITES[kind]);
    expect(finding).toMatchObject({ after, error: null });
    expect(set.pair(1)?.right).toMatchObject({ id: 'renamed', state: 'changed' });
  });

  test('to a contact that exists is planned again: a delete', () => {
    const answer = found({ ...OLD }, { groupIds: ['g'] });
    const { set, finding } = settle(answer, undefined, DELETE);
    expect(finding).toEqual({ applied: false, after: answer.record, error: null });
    expect(set.pair(1)?.right).toMatchObject({ state: 'changed', base: right.base, record: answer.record });
  });
});

describe('[R9] a change of membership without a response', () => {
  /** The contact at left is in these groups, and both bases were before the write. */
  const halves = (now: Sides<readonly string[]>, base: Sides<readonly string[]>) => [
    pairedHalf('left', 'l', 1, { record: record('l', ADA, { groupIds: now.left }), base: snapshot(ADA, base.left) }),
    pairedHalf('right', 'r', 1, { record: record('r', ADA, { groupIds: now.right }), base: snapshot(ADA, base.right) }),
  ];
  const NONE = { left: [], right: [] };
  const BOTH = { left: ['g'], right: ['s'] };
  const JOIN = openOperation('membership', { join: ['s'], before: right.record });
  const LEAVE = openOperation('membership', { leave: ['s'], before: right.record });
  const joined = halves({ left: ['g'], right: [] }, NONE);
  const away = halves({ left: [], right: ['s'] }, BOTH);
  const POLICY = policyWith();
  const CHOIR = link('choir', { left: 'g', right: 's' });
  /** The plan that follows after a user of the left side changed the membership to this. */
  const planned = (set: ReturnType<typeof setOf>, leftIds: readonly string[]) => {
    const pair = set.pair(1);
    if (pair === null || pair.left === null || pair.right === null) throw new Error('The pair is missing.');
    const now = { ...pair.left, record: { ...pair.left.record, groupIds: leftIds } };
    return mergeMembership({ left: now, right: pair.right }, [CHOIR], POLICY);
  };
  const QUIET = { joins: [], leaves: [] };

  test.each<[string, readonly Half[], typeof JOIN, readonly string[], Sides<readonly string[]>]>([
    ['joined', joined, JOIN, ['s'], BOTH],
    ['left', away, LEAVE, [], { left: [], right: [] }],
  ])('that took effect enters both bases: %s', (_, given, write, now, bases) => {
    const answer = found({}, { groupIds: now });
    const { set, finding } = settle(answer, given, write);
    expect(finding).toEqual({ applied: true, after: answer.record, error: null });
    expect(set.pair(1)).toMatchObject({
      status: 'linked',
      left: { state: 'settled', base: snapshot(ADA, bases.left), writtenAtMs: null },
      right: { state: 'settled', base: snapshot(ADA, bases.right), record: answer.record, writtenAtMs: NOW },
    });
  });

  test('[R5] that took effect does not revert the opposite change that the user made since', () => {
    const { set: taken } = settle(found({}, { groupIds: [] }), away, LEAVE);
    expect(planned(taken, ['g'])).toMatchObject({ left: QUIET, right: { joins: ['choir'], leaves: [] } });
    const { set: added } = settle(found({}, { groupIds: ['s'] }), joined, JOIN);
    expect(planned(added, [])).toMatchObject({ left: QUIET, right: { joins: [], leaves: ['choir'] } });
  });

  test('that did not take effect is planned again: neither base changes', () => {
    const { set, finding } = settle(found({}, { groupIds: [] }), joined, JOIN);
    expect(finding).toMatchObject({ applied: false, error: null });
    expect(set.pair(1)).toMatchObject({ left: { base: snapshot(ADA) }, right: { base: snapshot(ADA) } });
    expect(planned(set, ['g'])).toMatchObject({ right: { joins: ['choir'], leaves: [] } });
  });

  test('[R5] leaves later choices of a user at the target out of the bases', () => {
    const { set } = settle(found({}, { groupIds: ['own', 's'] }), joined, JOIN);
    expect(set.pair(1)?.right).toMatchObject({ base: snapshot(ADA, ['s']), record: { groupIds: ['own', 's'] } });
  });

  test('that took effect in part is not applied, and the part that took effect enters the bases', () => {
    const write = openOperation('membership', { join: ['s', 't'], before: right.record });
    const { set, finding } = settle(found({}, { groupIds: ['s'] }), joined, write);
    expect(finding).toMatchObject({ applied: false });
    expect(set.pair(1)).toMatchObject({ left: { base: snapshot(ADA, ['g']) }, right: { base: snapshot(ADA, ['s']) } });
  });

  test('of a group that the other side does not have enters only the target’s base', () => {
    const write = openOperation('membership', { join: ['t'], before: right.record });
    const { set } = settle(found({}, { groupIds: ['t'] }), joined, write);
    expect(set.pair(1)).toMatchObject({ left: { base: snapshot(ADA) }, right: { base: snapshot(ADA, ['t']) } });
  });

  test('of a pair whose other half is deleted by now is only stored', () => {
    const [own, target] = joined;
    const given = [own, target]
      .flatMap((half) => half ?? [])
      .map((half) => {
        return half.side === 'left' ? { ...half, state: 'gone' as const } : half;
      });
    const { set, finding } = settle(found({}, { groupIds: ['s'] }), given, JOIN);
    expect(finding).toMatchObject({ applied: false });
    expect(set.pair(1)).toMatchObject({ left: { state: 'gone' }, right: { base: snapshot(ADA), state: 'changed' } });
  });
});
