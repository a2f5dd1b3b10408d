import { describe, expect, test } from 'vitest';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import type { Side } from '../../../../src/core/contact/side.ts';
import type { Decision, Pair } from '../../../../src/core/reconcile/decision.ts';
import type { Plan } from '../../../../src/core/reconcile/plan.ts';
import {
  gone,
  link,
  NONE,
  pairOf,
  planOf,
  PREFIX,
  present,
  record,
  SCOPES,
  SIDE_PAIRS,
  snapshot,
  unpaired,
  values,
} from './support.ts';

type Given = Parameters<typeof planOf>[0] & {
  readonly left?: readonly ContactRecord[];
  readonly right?: readonly ContactRecord[];
};

const plan = ({ left = [], right = [], ...given }: Given): Plan =>
  planOf({ unpaired: { left: unpaired('left', ...left), right: unpaired('right', ...right) }, ...given });

const only = (planned: Plan): Decision => {
  expect(planned.decisions).toHaveLength(1);
  const [decision] = planned.decisions;
  if (decision === undefined) throw new Error('The plan is empty.');
  return decision;
};

const ADA: Partial<Contact> = { firstName: 'Ada', emailAddresses: values('ada@x.org') };
const EDITED: Partial<Contact> = { ...ADA, title: 'Countess' };

/** A pair with `half` on `side` and `missing` on the other side. */
const half = (side: Side, own: Half, missing: Half | null, status: Pair['status'] = 'linked', id = 1): Pair => {
  return side === 'left' ? pairOf(own, missing, status, id) : pairOf(missing, own, status, id);
};

const untouched = (side: Side, id = PREFIX[side]) => present(record(id, ADA));
const edited = (side: Side) => present(record(PREFIX[side], EDITED), snapshot(ADA));

describe('a contact deleted on one side', () => {
  test.each(SIDE_PAIRS)('[R7] waits while the deletion of the one at %s is unconfirmed', (side) => {
    for (const own of [untouched(side), edited(side)]) {
      const settling: Half = { ...own, state: 'settling' };
      expect(plan({ pairs: [half(side, settling, gone('x'))] }).decisions).toEqual([]);
      const dormant = { ...half(side, settling, NONE), status: 'dormant' as const };
      expect(plan({ lonePairs: [dormant] }).decisions).toEqual([]);
    }
  });

  const GROUPS = { links: [link('choir')], actions: [], pairs: [], ended: [], duplicates: [] };
  const site = (label: string | null): Partial<Contact> => ({ websites: [{ value: 'x.org', label }] });
  const sites = (...list: string[]): Partial<Contact> => ({ websites: values(...list) });
  test.each<[string, 'create' | 'delete', Half]>([
    ['a label', 'create', present(record('g', site('work')), snapshot(site(null)))],
    ['a membership', 'create', present(record('g', ADA, { groupIds: ['g-choir'] }), snapshot(ADA))],
    ['a membership that ended', 'create', present(record('g', ADA), snapshot(ADA, ['g-choir']))],
    ['all, since its base is unknown', 'create', present(record('g', ADA), null)],
    ['the order of a list', 'delete', present(record('g', sites('x.org', 'y.org')), snapshot(sites('y.org', 'x.org')))],
    ['a group that is left out', 'delete', present(record('g', ADA, { groupIds: ['g-other'] }), snapshot(ADA))],
    ['its version', 'delete', present(record('g', ADA, { version: '9' }), snapshot(ADA))],
  ])('[R6] and changed in %s is a reason to %s', (_, expected, own) => {
    expect(only(plan({ pairs: [pairOf(own, gone('s'))], groups: GROUPS })).kind).toBe(expected);
  });

  test('R1: a base that contains two spellings of one address is no edit', () => {
    const spellings = values('a@müller.de', 'a@xn--mller-kva.de');
    const base = { contact: { ...snapshot({}).contact, emailAddresses: spellings }, groupIds: [] };
    const own = present(record('g', { emailAddresses: spellings }), base);
    expect(own.record.contact.emailAddresses).toHaveLength(1);
    expect(only(plan({ pairs: [pairOf(own, gone('s'))] })).kind).toBe('delete');
    expect(only(plan({ pairs: [pairOf(own, { ...own, id: 's' })] }))).toMatchObject({ writes: [] });
  });

  test.each(SIDE_PAIRS)('[R6] and edited at %s is restored even if deletions are kept', (side, other) => {
    const pair = half(side, edited(side), gone('x'));
    expect(only(plan({ pairs: [pair], policy: { deletes: 'keep' } }))).toMatchObject({ kind: 'create', side: other });
  });

  describe.each([
    ['to-left', 'right', 'left'],
    ['to-right', 'left', 'right'],
  ] as const)('on a link %s', (direction, source, target) => {
    test('at the source is deleted at the target, edited or not', () => {
      for (const own of [untouched(target), edited(target)]) {
        const pair = half(target, own, gone('x'));
        expect(only(plan({ pairs: [pair], policy: { direction } }))).toMatchObject({ kind: 'delete', side: target });
      }
    });

    test('at the target is restored once the source has changed', () => {
      const pair = half(source, untouched(source), gone('x'));
      expect(only(plan({ pairs: [pair], policy: { direction } }))).toMatchObject({ kind: 'unlink', to: 'dormant' });
      const dormant = half(source, edited(source), NONE, 'dormant');
      const restored = { kind: 'create', side: target } as const;
      expect(only(plan({ lonePairs: [dormant], policy: { direction } }))).toMatchObject({ ...restored, pair: dormant });
      const both = half(source, edited(source), gone('x'));
      expect(only(plan({ pairs: [both], policy: { direction } }))).toMatchObject(restored);
    });
  });
});

describe('a survivor', () => {
  test.each(SIDE_PAIRS)('that was kept at %s is never created again, edited or not', (side) => {
    for (const own of [untouched(side), edited(side)]) {
      const kept = half(side, own, NONE, 'kept');
      const stays = { kind: 'unlink', pair: kept, to: 'kept' };
      expect(only(plan({ lonePairs: [kept], policy: { deletes: 'keep' } }))).toEqual(stays);
      expect(only(plan({ lonePairs: [kept] }))).toEqual(stays);
    }
    // Its row ends once it is deleted as well.
    const ended = half(side, gone('g'), NONE, 'kept');
    expect(only(plan({ lonePairs: [ended] }))).toMatchObject({ kind: 'unlink', to: 'drop' });
  });

  test.each(SIDE_PAIRS)('[R13] at %s is paired by what a user decided about it and a new contact', (side, other) => {
    const kept = half(side, untouched(side), NONE, 'kept', 7);
    const keptId = kept[side]?.id ?? '';
    const says = (said: 'together' | 'apart', name: string) => {
      const ids = { [`${side}Id`]: keptId, [`${other}Id`]: 'new' } as { leftId: string; rightId: string };
      const verdicts = [{ ...ids, says: said, atMs: 1 }];
      const newcomer = record('new', { ...EDITED, firstName: name, emailAddresses: values(`${name}@x.org`) });
      return plan({ lonePairs: [kept], [other]: [newcomer], verdicts, policy: { deletes: 'keep' } }).decisions;
    };
    expect(says('together', 'Zoe')).toMatchObject([{ kind: 'merge', byHand: true, pair: { id: 7 } }]);
    expect(says('apart', 'ada')).toMatchObject([
      { kind: 'create', side, apartFrom: [keptId] },
      { kind: 'unlink', pair: { id: 7 }, to: 'kept' },
    ]);
  });

  test.each(SIDE_PAIRS)('at %s is linked again with a contact that is the same person, in its row', (side, other) => {
    const kept = half(side, untouched(side), NONE, 'kept', 7);
    const newcomer = record('new', EDITED);
    const decision = only(plan({ lonePairs: [kept], [other]: [newcomer], policy: { deletes: 'keep' } }));
    const pair = { id: 7, [side]: { id: PREFIX[side], base: null }, [other]: { record: newcomer, base: null } };
    expect(decision).toMatchObject({ kind: 'merge', pair, writes: [{ kind: 'update', side, fields: ['title'] }] });
  });

  test('[R12] of each side that are the same person share one row; the other row ends first', () => {
    const left = pairOf(untouched('left'), NONE, 'kept', 7);
    const right = pairOf(NONE, untouched('right'), 'kept', 8);
    const { decisions } = plan({ lonePairs: [left, right] });
    expect(decisions).toMatchObject([
      { kind: 'unlink', pair: { id: 8 }, to: 'drop' },
      { kind: 'merge', pair: { id: 7, left: { record: { id: 'g' } }, right: { record: { id: 's' } } } },
    ]);
  });
});

describe('a contact without a pair', () => {
  test('[R13] that fits several candidates equally well is created, and reported', () => {
    const office = values('office@x.org');
    const [ann, bob] = ['Ann', 'Bob'].map((firstName) => ({ firstName, emailAddresses: office }));
    const candidates = [record('s0', ann ?? {}), record('s1', bob ?? {})];
    const planned = plan({ left: [record('g', { emailAddresses: office })], right: candidates });
    expect(planned.ambiguous).toEqual([{ left: ['g'], right: ['s0', 's1'], why: 'several candidates' }]);
    expect(planned.decisions.map((decision) => decision.kind)).toEqual(['create', 'create', 'create']);
  });

  test('[R9] that is blank by now is still the contact that a create made', () => {
    const left = [record('g', {}, { originId: 's', originScope: SCOPES.right })];
    const update = { kind: 'update', side: 'left', fields: ['firstName', 'emailAddresses'] };
    expect(only(plan({ left, right: [record('s', ADA)] }))).toMatchObject({ kind: 'merge', writes: [update] });
  });
});
