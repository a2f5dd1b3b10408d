import { describe, expect, test } from 'vitest';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import { bySide, otherSide, type Side, SIDES } from '../../../../src/core/contact/side.ts';
import type { Pair } from '../../../../src/core/contact/pair.ts';
import { type Decision, NO_WRITES } from '../../../../src/core/reconcile/decision.ts';
import type { Policy } from '../../../../src/core/reconcile/policy.ts';
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

type Given = Parameters<typeof planOf>[0] & Partial<Record<Side, readonly ContactRecord[]>>;

const NOTHING = { left: NO_WRITES, right: NO_WRITES };
const decide = ({ left = [], right = [], ...given }: Given): readonly Decision[] =>
  planOf({ unpaired: { left: unpaired('left', ...left), right: unpaired('right', ...right) }, ...given }).decisions;

/** A pair with `own` on `side`. */
const half = (side: Side, own: Half, other: Half | null, status: Pair['status'] = 'linked', id = 1): Pair =>
  side === 'left' ? pairOf(own, other, status, id) : pairOf(other, own, status, id);

const ADA: Partial<Contact> = { firstName: 'Ada', emailAddresses: values('ada@x.org') };
const EDITED: Partial<Contact> = { ...ADA, title: 'Countess' };

const unchanged = (side: Side) => present(record(PREFIX[side], ADA));
const edited = (side: Side) => present(record(PREFIX[side], EDITED), snapshot(ADA));
const BOTH_STATES = { unchanged, edited };

/** A decision as text; `here` is the given side. */
const textsOf = (decisions: readonly Decision[], side: Side) =>
  decisions.map((each) => {
    if (each.kind === 'unlink') return `unlink ${each.to}`;
    return each.kind === 'merge' ? 'merge' : `${each.kind} ${each.side === side ? 'here' : 'there'}`;
  });

test.each(SIDES)('R12: a contact at %s that may replace one which settles there is not created elsewhere', (side) => {
  const created = (state: Half['state'], added: Partial<Contact>): readonly string[] => {
    const former = { ...unchanged(side), state };
    const pairs = [half(side, former, edited(otherSide(side)))];
    return textsOf(decide({ pairs, [side]: [record('new', added)] }), side).filter((text) => text !== 'merge');
  };
  expect(created('unseen', ADA)).toEqual([]);
  expect(created('unseen', { firstName: 'Eve', emailAddresses: values('eve@x.org') })).toEqual(['create there']);
  expect(created('settled', ADA)).toEqual(['create there']);
});

describe.each(SIDES)('R6: the remaining half at the %s side', (side) => {
  const directions = { both: 'both', here: `to-${side}`, there: `to-${otherSide(side)}` } as const;

  test.each<[keyof typeof BOTH_STATES, keyof typeof directions, Policy['deletes'], string]>([
    ['unchanged', 'both', 'propagate', 'delete here'],
    ['unchanged', 'both', 'keep', 'unlink kept'],
    ['edited', 'both', 'propagate', 'create there'],
    ['edited', 'both', 'keep', 'create there'],
    ['unchanged', 'here', 'propagate', 'delete here'],
    ['edited', 'here', 'propagate', 'delete here'],
    ['unchanged', 'there', 'propagate', 'unlink dormant'],
    ['edited', 'there', 'propagate', 'create there'],
  ])('%s, if the link writes %s and deletions are to %s: %s', (state, to, deletes, expected) => {
    const policy = { direction: directions[to], deletes };
    const [own, deleted] = [BOTH_STATES[state](side), gone('x')];
    expect(textsOf(decide({ pairs: [half(side, own, deleted)], policy }), side)).toEqual([expected]);
    // R7: the deletion waits while the other half is unconfirmed.
    expect(decide({ pairs: [half(side, { ...own, state: 'unseen' }, deleted)], policy })).toEqual([]);
  });

  test.each<[Pair['status'], keyof typeof BOTH_STATES, string]>([
    ['kept', 'unchanged', 'unlink kept'],
    ['kept', 'edited', 'unlink kept'],
    ['dormant', 'edited', 'create there'],
  ])('of a %s pair, %s: %s', (status, state, expected) => {
    const own = BOTH_STATES[state](side);
    const policy = { direction: directions[status === 'kept' ? 'both' : 'there'] };
    expect(textsOf(decide({ lonePairs: [half(side, own, NONE, status)], policy }), side)).toEqual([expected]);
    expect(textsOf(decide({ lonePairs: [half(side, gone('g'), NONE, status)] }), side)).toEqual(['unlink drop']);
    const unseen = half(side, { ...own, state: 'unseen' }, NONE, 'dormant');
    expect(decide({ lonePairs: [unseen], policy })).toEqual([]);
  });

  const other = otherSide(side);

  test('R13: of a kept pair is paired by what a user decided about it and a new contact', () => {
    const kept = half(side, unchanged(side), NONE, 'kept', 7);
    const decided = (says: 'together' | 'apart', name: string) => {
      const ids = bySide((each) => (each === side ? PREFIX[side] : 'new'));
      const verdicts = [{ leftId: ids.left, rightId: ids.right, says, atMs: 1 }];
      const newcomer = record('new', { ...EDITED, firstName: name, emailAddresses: values(`${name}@x.org`) });
      return decide({ lonePairs: [kept], [other]: [newcomer], verdicts, policy: { deletes: 'keep' } });
    };
    const pair = { id: 7, [side]: { base: null }, [other]: { base: null } };
    expect(decided('together', 'Zoe')).toMatchObject([{ kind: 'merge', byHand: true, pair }]);
    expect(decided('apart', 'ada')).toMatchObject([
      { kind: 'create', side, apartFrom: [PREFIX[side]] },
      { kind: 'unlink', pair: { id: 7 }, to: 'kept' },
    ]);
  });
});

const GROUPS = { links: [link('choir')], actions: [], pairs: [], ended: [], duplicates: [] };
const sites = (label: string | null, ...list: string[]) => ({ websites: list.map((value) => ({ value, label })) });

test.each<[string, 'create' | 'delete', Half]>([
  ['a label', 'create', present(record('g', sites('work', 'x.org')), snapshot(sites(null, 'x.org')))],
  ['a membership', 'create', present(record('g', ADA, { groupIds: ['g-choir'] }), snapshot(ADA))],
  ['a membership that ended', 'create', present(record('g', ADA), snapshot(ADA, ['g-choir']))],
  ['all, since its base is unknown', 'create', present(record('g', ADA), null)],
  ['the order of a list', 'delete', present(record('g', sites('', 'x', 'y')), snapshot(sites('', 'y', 'x')))],
  ['a group that is left out', 'delete', present(record('g', ADA, { groupIds: ['g-other'] }), snapshot(ADA))],
  ['its version', 'delete', present(record('g', ADA, { version: '9' }), snapshot(ADA))],
  ['a value that its side computes', 'delete', present(record('g', { ...ADA, lastContacted: 'today' }), snapshot(ADA))],
])('R6: a contact whose counterpart is deleted and that changed in %s is a reason to %s', (_, expected, own) => {
  const policy = { directions: { lastContacted: 'to-right' } } as const;
  expect(decide({ pairs: [pairOf(own, gone('s'))], groups: GROUPS, policy })).toMatchObject([{ kind: expected }]);
});

test('R1: a base that contains two spellings of one address is no edit', () => {
  const emailAddresses = values('a@müller.de', 'a@xn--mller-kva.de');
  const own = present(record('g', { emailAddresses }), {
    contact: { ...snapshot({}).contact, emailAddresses },
    groupIds: [],
  });
  expect(own.record.contact.emailAddresses).toHaveLength(1);
  expect(decide({ pairs: [pairOf(own, gone('s'))] })).toMatchObject([{ kind: 'delete' }]);
  expect(decide({ pairs: [pairOf(own, { ...own, id: 's' })] })).toMatchObject([{ writes: NOTHING }]);
});

test('R12: two survivors that are the same person share one row; the other row ends first', () => {
  const left = pairOf(unchanged('left'), NONE, 'kept', 7);
  expect(decide({ lonePairs: [left, pairOf(NONE, unchanged('right'), 'kept', 8)] })).toMatchObject([
    { kind: 'unlink', pair: { id: 8 }, to: 'drop' },
    { kind: 'merge', pair: { id: 7, left: { record: { id: 'g' } }, right: { record: { id: 's' } } } },
  ]);
});

test('R13: a contact that fits several candidates equally well is created, and reported', () => {
  const emailAddresses = values('office@x.org');
  const candidates = ['Ann', 'Bob'].map((firstName, at) => record(`s${at}`, { firstName, emailAddresses }));
  const left = unpaired('left', record('g', { emailAddresses }));
  const { ambiguous, decisions } = planOf({ unpaired: { left, right: unpaired('right', ...candidates) } });
  expect(ambiguous).toEqual([{ left: ['g'], right: ['s0', 's1'], why: 'several candidates' }]);
  expect(decisions.map(({ kind }) => kind)).toEqual(['create', 'create', 'create']);
});

test.each(SIDES)('a contact that is new at the target of a one-way link from %s is not created there', (source) => {
  const policy = { direction: `to-${otherSide(source)}` } as const;
  expect(decide({ [otherSide(source)]: [record('x', ADA)], policy })).toEqual([]);
  expect(decide({ [source]: [record('x', ADA)], policy })).toMatchObject([{ kind: 'create', side: otherSide(source) }]);
});

test('R9: a contact that is blank by now is still the contact that a create made', () => {
  const left = [record('g', {}, { originId: 's', originScope: SCOPES.right })];
  const writes = { left: { update: { fields: ['firstName', 'emailAddresses'] } } };
  expect(decide({ left, right: [record('s', ADA)] })).toMatchObject([{ kind: 'merge', writes }]);
});

describe.each(SIDES)('R12: a contact that is new at the %s side, where a half of a pair was deleted,', (side) => {
  const other = otherSide(side);
  const KING = { ...ADA, lastName: 'King' };

  /** The remaining half of the pair, the base of both sides, and the new contact. */
  type Case = {
    readonly remaining?: Partial<Contact>;
    readonly base?: Partial<Contact>;
    readonly added?: Partial<Contact>;
    /** Whether the new contact was created for the remaining half. */
    readonly isMade?: true;
    readonly former?: Partial<Half>;
    readonly more?: Given;
  };

  const decideAbout = ({ remaining = KING, base = remaining, added = KING, isMade, former = {}, more }: Case) => {
    const deleted = gone('former', { record: record('former', base), base: snapshot(base), ...former });
    const pair = half(side, deleted, present(record('remaining', remaining), snapshot(base)));
    const origin = isMade && { originId: 'remaining', originScope: SCOPES[other] };
    return decide({ pairs: [pair], [side]: [record('added', added, origin)], ...more });
  };

  const at = (desk: Partial<Contact>) => ({ ...desk, emailAddresses: values('desk@acme.test') });
  const numbered = { firstName: 'Ada', phoneNumbers: values('+4930123456') };
  const countess = { ...KING, title: 'Countess' };
  const withoutEmail = { firstName: 'Ada', lastName: 'King' };

  test.each<[string, Case]>([
    ['it shares an email address with it', {}],
    ['it shares one, while the other was renamed', { remaining: { ...KING, firstName: 'Eve' }, base: KING }],
    ['it shares a phone number', { remaining: numbered, added: numbered }],
    ['it has exactly the same content', { remaining: { firstName: 'Ada' }, added: { firstName: 'Ada' } }],
    ['it has the exact content of the other half', { remaining: countess, base: { firstName: 'Bo' }, added: countess }],
    ['it shares an address with the other half only (seed 148324363)', { base: withoutEmail, added: countess }],
    ['it was created for the other half', { base: { firstName: 'Bo' }, added: { ...KING, title: 'Ms' }, isMade: true }],
    ['deletions are kept', { more: { policy: { deletes: 'keep' } } }],
  ])('replaces the former one if %s', (_, given) => {
    const pair = { id: 1, [side]: { id: 'added' }, [other]: { id: 'remaining' } };
    expect(decideAbout(given)).toMatchObject([{ kind: 'merge', pair }]);
  });

  test.each([
    ['the other half (seed 52402344)', 'remaining'],
    ['the former one (seed 55527)', 'former'],
  ])(
    'does not replace the former one if a part of the name that is not synced distinguishes it from %s',
    (_, senior) => {
      const known = (id: string) => record(id, KING, id === senior ? { unsyncedName: { nameSuffix: 'Sr.' } } : {});
      const remaining = present(known('remaining'), snapshot(KING));
      const pair = half(side, gone('former', { record: known('former'), base: snapshot(KING) }), remaining);
      const decisions = decide({ pairs: [pair], [side]: [record('added', { ...KING, lastName: 'King Jr.' })] });
      expect(decisions.map(({ kind }) => kind)).toEqual(['delete', 'create']);
    },
  );

  test('keeps the values that both sides agreed on, each in its own spelling', () => {
    const former = { record: record('former', countess), base: snapshot(countess) };
    const decisions = decideAbout({ remaining: { ...KING, title: 'Countess of L.' }, added: countess, former });
    expect(decisions).toMatchObject([{ kind: 'merge', writes: NOTHING, conflicts: [] }]);
  });

  test('is not also reported as undecided if it replaces the former one', () => {
    const deleted = gone('former', { record: record('former', KING), base: snapshot(KING) });
    const namesake = unpaired(other, record('namesake', { ...KING, firstName: 'Bo' }));
    const { decisions, ambiguous } = planOf({
      pairs: [half(side, deleted, present(record('remaining', KING)))],
      unpaired: bySide((each) => (each === side ? unpaired(side, record('added', countess)) : namesake)),
    });
    expect([decisions.map(({ kind }) => kind).toSorted(), ambiguous]).toEqual([['create', 'merge'], []]);
  });

  test('replaces the former one, although a namesake was added again on the other side (seed 72200178)', () => {
    const junior = { ...KING, lastName: 'King Jr.' };
    const deleted = (contact: Partial<Contact>) => gone('x', { record: record('x', contact), base: snapshot(contact) });
    const pairs = [
      half(side, deleted(junior), present(record('junior', junior))),
      half(side, present(record('senior', KING)), deleted(KING), 'linked', 2),
    ];
    const added = { ...junior, title: 'Ms' };
    const decisions = decide({ pairs, [side]: [record('added', added)], [other]: [record('again', countess)] });
    const described = decisions.map(({ kind, pair }) => `${kind} ${pair?.[side]?.id} ${pair?.[other]?.id}`);
    expect(described.toSorted()).toEqual(['merge added junior', 'merge senior again']);
  });

  const decideWithRelative = (verdicts: NonNullable<Given['verdicts']>) => {
    const deleted = gone('former', { record: record('former', KING), base: snapshot(KING) });
    const pairs = [half(side, deleted, present(record('remaining', KING), snapshot(KING)))];
    const added = bySide((each) => unpaired(each, record(each === side ? 'added' : 'relative', KING)));
    return planOf({ pairs, unpaired: added, verdicts }).decisions;
  };

  test('replaces the former one, although a new contact of the other side matches it (seed 835000818)', () => {
    const pair = { id: 1, [side]: { id: 'added' }, [other]: { id: 'remaining' } };
    expect(decideWithRelative([])).toMatchObject([
      { kind: 'merge', pair },
      { kind: 'create', side, source: { id: 'relative' } },
    ]);
  });

  test('is paired with that contact if a person decided so', () => {
    const ids = bySide((each) => (each === side ? 'added' : 'relative'));
    const decisions = decideWithRelative([{ leftId: ids.left, rightId: ids.right, says: 'together', atMs: 0 }]);
    expect(decisions).toMatchObject([
      { kind: 'delete', side: other },
      { kind: 'merge', pair: { [side]: { id: 'added' }, [other]: { id: 'relative' } } },
    ]);
  });

  const apart = bySide((each) => (each === side ? 'added' : 'remaining'));
  const verdicts = [{ leftId: apart.left, rightId: apart.right, says: 'apart', atMs: 0 }] as const;
  const person = (firstName: string, lastName: string, added: Partial<Contact>): Case => {
    return { remaining: at({ firstName, lastName }), added: at(added) };
  };

  test.each<[string, Case]>([
    ['only the name matches and its address is another one', { added: { ...KING, emailAddresses: values('k@y.org') } }],
    ['only the name matches and it has no address', { added: { firstName: 'Ada', lastName: 'King' } }],
    ['it is a spouse with the same address', person('Martin', 'Weber', { firstName: 'Martina', lastName: 'Weber' })],
    ['it is a successor with the same address', person('Ann', 'Leeson', { firstName: 'Bob', lastName: 'Rayner' })],
    ['it has the address and no name', person('Ann', 'Leeson', {})],
    ['it is the card of a company with the address', person('Ann', 'Leeson', { company: 'Acme' })],
    ['a user keeps the two apart', { more: { verdicts } }],
    ['the former one was merged into another one', { former: { mergedInto: 'another' } }],
  ])('is another person if %s', (_, given) => {
    expect(textsOf(decideAbout(given), other).toSorted()).toEqual(['create here', 'delete here']);
  });

  test('is left unchanged, like the former one, if no side selects either', () => {
    expect(textsOf(decideAbout({ more: { selection: { selects: () => false } } }), side)).not.toContain('merge');
  });
});

describe('R12: two contacts that a user merged', () => {
  const TWIN: Partial<Contact> = { firstName: 'Ada', phoneNumbers: values('+4930123456') };
  const mergedInto = (id: string, survivor: string, was = ADA) =>
    gone(id, { base: snapshot(was), mergedInto: survivor });

  /** Pairs the halves of `side`, where two contacts became one, with those of the other side. */
  const pairsOn = (side: Side, merged: readonly Half[], others: readonly Half[]): readonly Pair[] =>
    merged.map((own, index) => half(side, own, others[index] ?? NONE, 'linked', index + 1));

  /** The merge and the deletion, where the survivor and its counterpart have one content, and the other half has `orphan`. */
  const planMerge = (
    side: Side,
    survivor: Partial<Contact>,
    orphan: Partial<Contact>,
    keeper = record('keeper', survivor),
  ) => {
    const merged = [present(record('survivor', survivor)), mergedInto('away', 'survivor', TWIN)];
    const decisions = decide({ pairs: pairsOn(side, merged, [present(keeper), present(record('orphan', orphan))]) });
    const kindOf = (kind: Decision['kind']) => decisions.find((decision) => decision.kind === kind);
    return { decisions, merge: kindOf('merge'), deletion: kindOf('delete') };
  };

  test('R15: the other half is not deleted if its value would replace one that is not synced', () => {
    const keeper = { ...record('keeper', ADA), unsyncable: [{ field: 'title' as const, reason: 'It is too long.' }] };
    const { decisions, deletion } = planMerge('left', ADA, { ...TWIN, title: 'Dr' }, keeper);
    expect(textsOf(decisions, 'left')).toContain('unlink kept');
    expect(deletion).toBeUndefined();
  });

  test('values that a side computed for the deleted contact are not propagated', () => {
    expect(planMerge('left', ADA, { ...TWIN, title: 'Dr', lastContacted: 'today' })).toMatchObject({
      merge: { writes: { right: { update: { fields: ['title'] } } } },
      deletion: { after: { fields: { left: [], right: ['title'] } } },
    });
  });

  test.each(SIDE_PAIRS)('R4: a merge at %s records a conflict if the one at %s has another value', (side, other) => {
    const { merge, deletion } = planMerge(side, { ...ADA, company: 'Engines' }, { ...TWIN, company: 'Analytical' });
    const conflict = { field: 'company', [side]: 'Engines', [other]: 'Analytical', winner: side };
    expect(merge).toMatchObject({ writes: NOTHING, conflicts: [conflict] });
    expect(deletion).toMatchObject({ after: { fields: { left: [], right: [] } } });
  });

  const [one, two] = [present(record('one', ADA)), present(record('two', ADA))];
  const away = mergedInto('one', 'two');
  const merging = (other: Half) => ({ pairs: pairsOn('left', [away, two], [one, other]) });
  const alone = { pairs: pairsOn('left', [away], [one]), lonePairs: [pairOf(two, NONE, 'kept', 2)] };

  test.each<[string, Given]>([
    ['both sides merged them, each into the other', merging(mergedInto('two', 'one'))],
    ['its own was deleted', merging(gone('two', { base: snapshot(ADA) }))],
    ['its pair has one half', alone],
  ])('a survivor is paired with the half of the merged-away contact if %s', (_, given) => {
    expect(decide(given)).toMatchObject([
      { kind: 'unlink', to: 'drop', pair: { id: 1 } },
      { kind: 'merge', pair: { id: 2, status: 'kept', left: { id: 'two' }, right: { id: 'one' } }, writes: NOTHING },
    ]);
  });

  test('a survivor alone in its pair is kept apart if no side selects it', () => {
    const selection: Given['selection'] = { selects: (_, { marks }) => marks !== undefined };
    expect(decide({ ...alone, selection })).toMatchObject([{ kind: 'unlink', to: 'kept' }, {}]);
  });

  describe('and that a side shows as a deletion alone', () => {
    const phoneNumbers = values('+4930123456');
    const NAMED: Partial<Contact> = { firstName: 'Ada', emailAddresses: values('a@x.org'), phoneNumbers };
    const ANN = { firstName: 'Ann', lastName: 'Miller', phoneNumbers };
    const taken = { emailAddresses: values('ada@x.org', 'a@x.org'), phoneNumbers };
    const taking = (id: string, more: Partial<Contact>, was = ADA): Half =>
      present(record(id, { ...ADA, ...more }), snapshot(was));

    const afterOf = (side: Side, survivors: readonly Half[], was = NAMED) => {
      const merged = [gone('deleted', { record: record('deleted', was), base: snapshot(was) }), ...survivors];
      const keepers = survivors.map((_, index) => present(record(`keeper ${index + 1}`, ADA)));
      const orphan = present(record('orphan', { ...was, websites: values('ada.example.org') }));
      const deletion = decide({ pairs: pairsOn(side, merged, [orphan, ...keepers]) }).find(
        ({ kind }) => kind === 'delete',
      );
      expect(deletion).toMatchObject({ record: { id: 'orphan' } });
      return deletion?.kind === 'delete' ? deletion.after : undefined;
    };

    test.each(SIDE_PAIRS)('are recognised at %s by the one that took over their identifying values', (side, other) => {
      const after = { survivorId: 'keeper 1', fields: { [side]: [], [other]: ['websites'] } };
      expect(afterOf(side, [taking('survivor', taken)])).toEqual(after);
    });

    test.each<[string, readonly Half[], Partial<Contact>?]>([
      ['a value was not taken over', [taking('survivor', { emailAddresses: taken.emailAddresses })]],
      ['nothing was taken over recently', [taking('survivor', { ...taken, title: 'Dr' }, { ...ADA, ...taken })]],
      ['only a number was passed on to another name', [taking('survivor', { phoneNumbers })], ANN],
      ['two contacts took the values over', [taking('one', taken), taking('two', taken)]],
      ['the deleted one had neither address nor number', [taking('survivor', taken)], { firstName: 'Ada' }],
    ])('are no merge if %s', (_, survivors, was) => {
      expect(afterOf('left', survivors, was)).toBeUndefined();
    });
  });
});
