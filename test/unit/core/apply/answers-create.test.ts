import { describe, expect, test } from 'vitest';
import { type AnsweredWrite, applyAnswer, storeAlreadyMoved } from '../../../../src/core/apply/answers.ts';
import { type Task, taskOf } from '../../../../src/core/apply/task.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import { createWrites, membershipWrites } from '../../../../src/engine/execute/writes.ts';
import { applyingIn, creationOf, NOW, PASS } from '../../engine/execute/support.ts';
import { ADA, changesOf, looseHalf, pairedHalf, setOf } from '../../engine/support.ts';
import { record, snapshot } from '../reconcile/support.ts';

const EMPTY = snapshot({});

describe('the response to a create', () => {
  const SOURCE = looseHalf('left', 'l', { record: record('l', { ...ADA, title: 'Dr' }, { groupIds: ['g-own'] }) });
  const ANSWER = record('r', { ...ADA, title: 'Dr' }, { groupIds: ['s-choir'] });

  const answered = (task: Task, value: ContactRecord): AnsweredWrite => {
    const [write] = createWrites(PASS, 'right', [task]);
    if (write?.kind !== 'create') throw new Error('A create was expected.');
    return { kind: 'record', write, value };
  };
  const create = (
    value: ContactRecord,
    given: {
      halves?: readonly Half[];
      joins?: readonly string[];
      createsWithGroups?: boolean;
      source?: Half;
      apartFrom?: readonly string[];
    } = {},
  ) => {
    const { halves = [SOURCE], joins = [], createsWithGroups = false, source = SOURCE, apartFrom = [] } = given;
    const set = setOf(halves);
    const pair = source.pair === null ? null : set.pair(source.pair);
    const task = taskOf({ ...creationOf(source, { joins, pair }), apartFrom });
    const outcome = applyAnswer(applyingIn(set, createsWithGroups), answered(task, value));
    return { set, outcome, left: set.half('left', 'l'), right: set.half('right', value.id) };
  };

  test('[R9] stores a pair of the source and the returned contact, both settled', () => {
    const { set, outcome, left, right } = create(ANSWER);
    expect(outcome).toEqual({
      after: ANSWER,
      applied: true,
      error: null,
      isRefused: false,
      notTaken: [],
      again: false,
      isStillThere: false,
    });
    expect(left).toMatchObject({ state: 'settled', base: snapshot({ ...ADA, title: 'Dr' }, ['g-own']) });
    expect(right).toMatchObject({
      state: 'settled',
      record: ANSWER,
      base: { groupIds: ['s-choir'] },
      writtenAtMs: NOW,
    });
    expect(changesOf(set, 'put-pair')).toMatchObject([{ id: null, status: 'linked' }]);
    expect(left?.pair).toBe(right?.pair);
  });

  test('[R2] reports the values that the side did not store, and still settles the pair', () => {
    const { outcome, left, right } = create(record('r', ADA));
    expect(outcome.notTaken).toEqual(['title']);
    expect(left).toMatchObject({ state: 'settled', base: { contact: { title: 'Dr' } } });
    expect(right).toMatchObject({ state: 'settled', base: { contact: { title: '' } } });
  });

  test('[R11] settles the memberships if the side accepts them with the create', () => {
    const source = { ...SOURCE, record: { ...SOURCE.record, groupIds: ['g-choir'] } };
    const given = { joins: ['choir'], createsWithGroups: true, source, halves: [source] };
    const { left, right } = create(ANSWER, given);
    expect([left?.state, right?.state]).toEqual(['settled', 'settled']);
  });

  test('[R11] settles the memberships that the returned contact has, and stores them once', () => {
    const source = { ...SOURCE, record: { ...SOURCE.record, groupIds: ['g-choir'] } };
    const set = setOf([source]);
    const task = taskOf(creationOf(source, { joins: ['choir'] }));
    applyAnswer(applyingIn(set), answered(task, ANSWER));
    const stored = [set.half('left', 'l'), set.half('right', 'r')];
    expect(stored.map((half) => half?.state)).toEqual(['settled', 'settled']);
    const written = { left: new Map(), right: new Map([[task, 'r']]) };
    const [move] = membershipWrites({ ...PASS, written }, set, 'right', [task]);
    if (move === undefined) throw new Error('A change of membership was expected.');
    storeAlreadyMoved({ ...applyingIn(set), atMs: NOW + 1 }, move);
    expect([set.half('left', 'l'), set.half('right', 'r')]).toEqual(stored);
  });

  test.each([
    ['are written afterwards', ['choir'], false],
    ['wait for a group that could not be created', ['choir', 'team'], true],
  ] as const)('[R11] leaves the source open if its memberships %s', (_, joins, createsWithGroups) => {
    const source = { ...SOURCE, record: { ...SOURCE.record, groupIds: ['g-choir', 'g-team'] } };
    const answer = record('r', { ...ADA, title: 'Dr' });
    const { left } = create(answer, { joins, createsWithGroups, source, halves: [source] });
    const groupIds = createsWithGroups ? ['g-choir'] : [];
    expect(left).toMatchObject({ state: 'changed', base: snapshot({ ...ADA, title: 'Dr' }, groupIds) });
  });

  test('[R6] replaces the deleted half in its pair', () => {
    const source = pairedHalf('left', 'l', 1, { state: 'changed' });
    const halves = [source, pairedHalf('right', 'gone', 1, { state: 'gone' })];
    const { set, outcome } = create(record('r', ADA), { halves, source });
    expect(outcome.applied).toBe(true);
    expect(set.pair(1)).toMatchObject({ status: 'linked', left: { id: 'l' }, right: { id: 'r', state: 'settled' } });
    // A feed that lags may still show it.
    expect(set.half('right', 'gone')).toMatchObject({ pair: null, base: null, state: 'gone' });
  });

  test.each(['settled', 'changed', 'missing', 'settling', 'gone', 'doubted'] as const)(
    '[R9] with a contact that is linked to another contact is refused: nothing is stored (%s)',
    (state) => {
      const halves = [SOURCE, pairedHalf('left', 'other', 2), pairedHalf('right', 'r', 2, { state })];
      const { set, outcome } = create(ANSWER, { halves });
      expect(outcome).toMatchObject({
        isRefused: true,
        again: false,
        isStillThere: false,
        after: ANSWER,
      });
      expect(outcome.error).toContain('r, which is linked to another contact already');
      expect(set.changes()).toEqual([]);
    },
  );

  test('[R13] with a contact that a user keeps apart from the source is refused: nothing is stored', () => {
    const halves = [SOURCE, looseHalf('right', 'r', { record: ANSWER })];
    const { set, outcome } = create(ANSWER, { halves, apartFrom: ['q', 'r'] });
    expect(outcome).toMatchObject({ isRefused: true, again: false, after: ANSWER });
    expect(outcome.error).toContain('r, which a person keeps apart from this contact');
    expect(set.changes()).toEqual([]);
  });

  test('[R9] with a contact that existed before compares both contacts before any of its values is overwritten', () => {
    const known = looseHalf('right', 'r', { writtenAtMs: 3 });
    const { set, outcome, left, right } = create(ANSWER, { halves: [SOURCE, known] });
    expect(outcome).toEqual({
      after: ANSWER,
      applied: false,
      error: expect.stringContaining('existed already'),
      isRefused: false,
      notTaken: [],
      again: true,
      isStillThere: false,
    });
    expect(left).toMatchObject({ state: 'changed', base: EMPTY, record: SOURCE.record });
    expect(right).toMatchObject({ state: 'changed', base: EMPTY, record: ANSWER, writtenAtMs: 3 });
    expect(changesOf(set, 'put-pair')).toMatchObject([{ id: null, status: 'linked' }]);
  });

  test.each(['gone', 'doubted'] as const)('[R6] with the half that was %s restores it in its pair', (state) => {
    const source = pairedHalf('left', 'l', 1, { state: 'changed', record: SOURCE.record });
    const halves = [source, pairedHalf('right', 'r', 1, { state, mergedInto: 'survivor' })];
    const { set, outcome } = create(ANSWER, { halves, source });
    expect(outcome).toMatchObject({ applied: true, error: null, again: false });
    expect(set.pair(1)).toMatchObject({
      status: 'linked',
      left: { id: 'l', state: 'settled', base: { contact: { title: 'Dr' } } },
      right: { id: 'r', state: 'settled', record: ANSWER, mergedInto: null, writtenAtMs: NOW },
    });
  });

  test.each(['gone', 'doubted'] as const)('[R6] with a contact without a pair that was %s restores it', (state) => {
    const { set, outcome, left, right } = create(ANSWER, { halves: [SOURCE, looseHalf('right', 'r', { state })] });
    expect(outcome).toMatchObject({ applied: true, error: null, again: false });
    expect(right).toMatchObject({ state: 'settled', record: ANSWER, writtenAtMs: NOW });
    expect(left?.pair).toBe(right?.pair);
    expect(changesOf(set, 'put-pair')).toMatchObject([{ id: null, status: 'linked' }]);
  });
});
