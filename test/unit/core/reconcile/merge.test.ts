import { describe, expect, test } from 'vitest';
import { type Contact, EMPTY_CONTACT, LIST_FIELDS } from '../../../../src/core/contact/contact.ts';
import { withList } from '../../../../src/core/contact/lists.ts';
import { otherSide, type Side, SIDES } from '../../../../src/core/contact/side.ts';
import { type GroupLink, mergeMembership, unitingHalves } from '../../../../src/core/reconcile/membership.ts';
import { mergeList, mergeScalar } from '../../../../src/core/reconcile/merge.ts';
import type { Policy } from '../../../../src/core/reconcile/policy.ts';
import {
  address,
  bothSides,
  halfOf,
  link,
  mergeOf,
  policyWith,
  QUIET,
  record,
  sideOf,
  snapshot,
  values,
} from './support.ts';

type Parts = Partial<Contact>;
/** The contact of a side now, and when both sides agreed; null: they never did. */
type State = readonly [now: Parts, base: Parts | null];

/** Merges with the contact of `own` on the given side. */
const mergeFrom = (side: Side, own: State, other: State, policy: Partial<Policy> = {}) => {
  const [left, right] = side === 'left' ? [own, other] : [other, own];
  return mergeOf(sideOf(...left), sideOf(...right), policyWith(policy));
};
const merge = (left: State, right: State, policy?: Partial<Policy>) => mergeFrom('left', left, right, policy);

// Each side as `base > now`; without a base, the sides never agreed.
test.each([
  ['unchanged on both', 'a > a', 'a > a', null],
  ['always different, unchanged on both', 'a > a', 'b > b', null],
  ['changed on the left', 'a > x', 'a > a', 'left'],
  ['cleared on the left', 'a > ', 'a > a', 'left'],
  ['changed on the left to the value of the right', 'a > b', 'b > b', null],
  ['changed on both alike', 'a > x', 'a > x', null],
  ['changed differently on both', 'a > x', 'a > y', 'conflict'],
  ['cleared on the left, changed on the right', 'a > ', 'a > y', 'conflict'],
  ['swapped', 'a > b', 'b > a', 'conflict'],
  ['equal at a first match', 'a', 'a', null],
  ['filled on the left only at a first match', 'a', '', 'left'],
  ['different at a first match', 'a', 'b', 'conflict'],
  ['different, only the left has a base', 'a > a', 'b', 'conflict'],
  ['emptied on the left, only the right has a base', '', 'b > b', 'right'],
])('R3: a scalar that is %s', (_, left, right, expected) => {
  const half = (text: string) => {
    const [base = '', now] = text.split(' > ');
    return now === undefined ? sideOf({ title: text }, null) : sideOf({ title: now }, { title: base });
  };
  expect(mergeScalar('title', bothSides(half(left), half(right)))).toBe(expected);
});

describe('a list', () => {
  // Elements are letters, as `base > now`; a delta reads `+x -y`.
  test.each([
    ['unchanged on both', 'ab > ab', 'ab > ab', '', ''],
    ['reordered', 'ab > ba', 'ab > ab', '', ''],
    ['added to on the left', 'a > ab', 'a > a', '', '+b'],
    ['added to differently on both', 'a > ab', 'a > ac', '+c', '+b'],
    ['shortened on the left', 'ab > a', 'ab > ab', '', '-b'],
    ['shortened differently on both', 'ab > a', 'ab > b', '-a', '-b'],
    ['changed differently on both', 'a > b', 'a > c', '+c', '+b'],
    ['removed on the left, never stored by the right', 'ab > a', 'a > a', '', ''],
    ['stored on the left, never stored by the right', 'ab > ab', 'a > a', '', ''],
    ['removed on the left, added again on the right', 'ab > a', 'a > ab', '+b', ''],
    ['united at a first match', 'ab', 'bc', '+c', '+a'],
    ['equal at a first match', 'ab', 'ba', '', ''],
    ['united if only the left has a base', 'ab > a', 'b', '+b', '+a'],
  ])('R3: that is %s', (_, left, right, toLeft, toRight) => {
    const emails = (letters: string) => ({
      emailAddresses: values(...[...letters].map((letter) => `${letter}@x.org`)),
    });
    const half = (text: string) => {
      const [base = '', now] = text.split(' > ');
      return now === undefined ? sideOf(emails(text), null) : sideOf(emails(now), emails(base));
    };
    const deltas = mergeList('emailAddresses', bothSides(half(left), half(right)));
    const letters = (sign: string, list: readonly object[]) =>
      list.map((element) => `${sign}${'value' in element ? String(element.value)[0] : ''}`);
    const texts = (to: Side) => [...letters('+', deltas[to].add), ...letters('-', deltas[to].remove)].join(' ');
    expect([texts('left'), texts('right')]).toEqual([toLeft, toRight]);
  });

  test.each(LIST_FIELDS)('R3: of %s is merged by element', (field) => {
    const element = (text: string) => (field === 'addresses' ? address(text) : { value: text, label: null });
    const list = (...texts: string[]): Parts => withList(EMPTY_CONTACT, field, texts.map(element));
    const base = list('1111111', '2222222');
    const { fields, desired } = merge(
      [list('1111111', '3333333'), base],
      [list('1111111', '2222222', '4444444'), base],
    );
    expect(fields).toEqual({ left: [field], right: [field] });
    // The replacement of the second element takes its place.
    for (const side of SIDES) expect(desired[side][field]).toEqual(['1111111', '3333333', '4444444'].map(element));
  });

  test('R3: keeps the labels, the spelling and the order of the side that has the element', () => {
    const mail = (value: string, label: string | null) => ({ value, label });
    const left = [mail('B@X.org', 'home'), mail('a@x.org', null)];
    const right = [mail('A@x.org', 'work'), mail('b@x.org', 'other')];
    const added = mail('c@x.org', 'mobile');
    const own: State = [{ emailAddresses: [...left, added] }, { emailAddresses: left }];
    const { fields, desired } = merge(own, [{ emailAddresses: right }, { emailAddresses: right }]);
    expect(fields).toEqual({ left: [], right: ['emailAddresses'] });
    expect(desired.right.emailAddresses).toEqual([...right, added]);
    expect(desired.left.emailAddresses).toEqual([...left, added]);
  });

  test('R13: of a first match does not duplicate one number in two spellings', () => {
    const [left, right] = [values('030 901820', '112'), values('+49 30 901820', '1-1-2')];
    expect(merge([{ phoneNumbers: left }, null], [{ phoneNumbers: right }, null])).toMatchObject(QUIET);
  });

  test('R2: is compared with the base of its own side: a rewritten value is removed if its original is removed', () => {
    const [long, cut] = [values('a.very.long.address@example.org'), values('a.very.long.address@exam')];
    const removed: State = [{ emailAddresses: [] }, { emailAddresses: long }];
    const { fields, desired } = merge(removed, [{ emailAddresses: cut }, { emailAddresses: cut }]);
    expect([fields, desired.right.emailAddresses]).toEqual([{ left: [], right: ['emailAddresses'] }, []]);
  });

  test.each(SIDES)('R5: keeps a number that the %s side still has in its national form', (side) => {
    const international = { phoneNumbers: values('+49 30 901820') };
    const base = { phoneNumbers: values('+49 30 901820', '030 901820') };
    const kept = mergeFrom(side, [{ phoneNumbers: values('030 901820') }, base], [international, international]);
    expect(kept).toMatchObject(QUIET);
    const removed = mergeFrom(side, [{ phoneNumbers: [] }, base], [international, international]);
    expect(removed.desired[otherSide(side)].phoneNumbers).toEqual([]);
  });
});

test.each([
  ['to-left', 'right', 'left'],
  ['to-right', 'left', 'right'],
] as const)('a link %s writes what %s changed, and what %s changed stays there', (direction, source, target) => {
  const base = { title: 'Cook', emailAddresses: values('a@x.org', 'b@x.org') };
  const [own, other] = [
    { ...base, company: 'Source' },
    { title: 'Local', emailAddresses: values('a@x.org', 'c@x.org') },
  ];
  const { fields, desired, localFields } = mergeFrom(source, [own, base], [other, base], { direction });
  expect([desired[source], desired[target]]).toMatchObject([own, { ...other, company: 'Source' }]);
  expect(fields).toEqual({ [source]: [], [target]: ['company'] });
  expect(localFields).toEqual({ [source]: [], [target]: ['title', 'emailAddresses'] });
});

describe('an address', () => {
  const FULL = { region: 'RM', postalCode: '00184', country: 'Italia' };
  const bare = { addresses: [address('Via Cavour 1')] };
  const full = { addresses: [address('Via Cavour 1', FULL)] };

  test.each(SIDES)('R13: that lacks parts at %s becomes the fuller one at a first match, with its label', (side) => {
    const own = { addresses: [address('Via Cavour 1', { label: 'casa' })] };
    const other = { addresses: [address('via Cavour 1', { ...FULL, label: 'home' })] };
    const { fields, desired } = mergeFrom(side, [own, null], [other, null]);
    expect(fields).toEqual({ left: [], right: [], [side]: ['addresses'] });
    expect(desired[side].addresses).toEqual([address('Via Cavour 1', { ...FULL, label: 'casa' })]);
    expect(desired[otherSide(side)].addresses).toEqual(other.addresses);
  });

  test('R5: that may match either of two stays separate', () => {
    const two = ['RM', 'LT'].map((region) => address('Via Cavour 1', { region }));
    const { desired } = merge([bare, null], [{ addresses: two }, null]);
    expect(desired.left.addresses).toEqual([...bare.addresses, ...two]);
    expect(desired.right.addresses).toEqual([...two, ...bare.addresses]);
  });

  test('R13: becomes the fuller one at the next run after a failed write, not a second one', () => {
    const { fields, desired } = merge([bare, bare], [full, {}]);
    expect([desired.left.addresses, fields.right]).toEqual([full.addresses, []]);
  });

  test('R3: gets the parts, and loses the parts, that a user changes on the other side, like the type of a relation', () => {
    expect(merge([full, bare], [bare, bare]).desired.right).toMatchObject(full);
    expect(merge([bare, full], [full, full]).desired.right).toMatchObject(bare);
    const [wife, friend] = ['wife', 'friend'].map((label) => ({ relations: [{ value: 'Ann', label }] }));
    expect(merge([wife ?? {}, friend ?? {}], [friend ?? {}, friend ?? {}]).desired.right).toMatchObject(wife ?? {});
  });
});

/** A name as `First/Last` or `First/Last/Middle`. */
const named = (name: string): Parts => {
  const [firstName = '', lastName = '', middleName = ''] = name.split('/');
  const evidence = { emailAddresses: values('ann@x.example'), phoneNumbers: values('+49 30 5550123') };
  return { ...evidence, firstName, lastName, ...(middleName !== '' && { middleName }) };
};

/** Merges names; the result has the names of both sides, or one if they are the same. */
const mergeNames = (base: string | null, left: string, right: string, policy: Partial<Policy> = {}) => {
  const agreed = base === null ? null : named(base);
  const merged = merge([named(left), agreed], [named(right), agreed], policy);
  const names = SIDES.map((side) => {
    const { firstName, lastName, middleName = '' } = merged.desired[side];
    return [firstName, lastName, ...(middleName === '' ? [] : [middleName])].join('/');
  });
  return { ...merged, names: [...new Set(names)] };
};

describe('a name', () => {
  test.each<[string, string, string, string, Partial<Policy>]>([
    ['the divided name wins over the whole one', 'Mary Ann Lee/', 'Mary Ann/Lee', 'Mary Ann/Lee', {}],
    ['also if the policy names the other side', '/Mary Lee', 'Mary/Lee', 'Mary/Lee', { conflicts: 'left' }],
    ['also if the left side divides it', 'Mary/Lee', 'mary lee/', 'Mary/Lee', { conflicts: 'right' }],
    ['also if the policy asks', 'Mary/Lee', 'Mary Lee/', 'Mary/Lee', { conflicts: 'ask' }],
    ['a single name is stored in the policy’s field', 'Cher/', '/Cher', 'Cher/', {}],
    ['also if that is of the right side', 'Cher/', '/Cher', '/Cher', { conflicts: 'right' }],
    ['also if the policy asks about it', 'Ann Lee/', '/Ann Lee', 'Ann Lee/', { conflicts: 'ask' }],
    ['a part of the whole name adds nothing', '/Lee', 'Mary Lee/', 'Mary Lee/', { conflicts: 'left' }],
    ['a word that is intentionally repeated stays', 'Lee/', 'Lee/Lee', 'Lee/Lee', {}],
    ['a missing part is filled', 'Mary/', 'Mary/Lee', 'Mary/Lee', { conflicts: 'left' }],
    ['two missing parts are filled', 'Mary/', '/Lee', 'Mary/Lee', {}],
    ['a character that is not a letter is not dropped', '🙂/', '/🎉', '🙂/🎉', {}],
    ['a name divided in two ways follows the policy', 'Mary Ann/Lee', 'Mary/Ann Lee', 'Mary Ann/Lee', {}],
    ['a name without spaces is divided', '山田太郎/', '太郎/山田', '太郎/山田', { conflicts: 'left' }],
    ['also with a title', 'Dr. 山田太郎/', '太郎/山田', 'Dr. 山田太郎/', {}],
  ])('R13: at a first match duplicates no word: %s', (_, left, right, expected, policy) => {
    expect(mergeNames(null, left, right, policy).names).toEqual([expected]);
  });

  test('R13: at a first match does not change the source of a one-way link', () => {
    const merged = mergeNames(null, 'Mary Lee/', 'Mary/Lee', { direction: 'to-right' });
    expect(merged).toMatchObject({ ...QUIET, localFields: { left: [], right: ['firstName', 'lastName'] } });
  });

  test.each([
    ['that one side divides differently is adopted', 'Mary Lee/', 'Mary/Lee', 'Mary Lee/', 'Mary/Lee'],
    ['is corrected', 'Ann/Lee', 'Anna/Lee', 'Ann/Lee', 'Anna/Lee'],
    ['is corrected in both parts, once on each side', 'Ann/Lee', 'Ann Marie/Lee', 'Ann/Moore', 'Ann Marie/Moore'],
    ['gets its other part', 'Ann/', 'Anna/', 'Ann/Lee', 'Anna/Lee'],
    ['loses its other part', 'Ann/Lee', 'Anna/Lee', 'Ann/', 'Anna/'],
    ['is changed alike in one part', 'Ann/Lee', 'Anna/Leeson', 'Anna/Lee', 'Anna/Leeson'],
  ])('R3: %s by parts, without a conflict', (_, base, left, right, expected) => {
    expect(mergeNames(base, left, right)).toMatchObject({ names: [expected], conflicts: [] });
  });

  test.each([
    [null, 'ann@x.example/', 'Ann/Lee', 'Ann/Lee'],
    [null, 'Ann/Lee', '+49 30 5550123/', 'Ann/Lee'],
    [null, '/ann@x.example', 'Ann/', 'Ann/'],
    ['Ann/', 'ann@x.example/', 'Ann/Lee', 'Ann/Lee'],
    ['Ann/Lee', 'ann@x.example/', 'Ann/Lee', 'Ann/Lee'],
  ])('R4: of a person wins over an address, whichever is newer: %s, now %s and %s', (base, left, right, name) => {
    for (const conflicts of ['left', 'right'] as const) {
      expect(mergeNames(base, left, right, { conflicts }).names).toEqual([name]);
    }
  });

  test('R4: of a person wins also if the policy asks, but not if the link writes only its side', () => {
    const asked = mergeNames(null, 'ann@x.example/', 'Ann/Lee', { conflicts: 'ask' });
    expect(asked).toMatchObject({ names: ['Ann/Lee'], localFields: { left: [], right: [] } });
    const oneWay = mergeNames(null, 'ann@x.example/', 'Ann/Lee', { direction: 'to-right' });
    expect(oneWay.names).toContain('ann@x.example/Lee');
  });

  test.each([
    ['one side changed two parts', 'Leeson/Ann', 'Ann/Leeson', 'Leighson/Ann'],
    ['one side changed two parts', 'Ann/Leeson', 'Ann Leeson/', 'Anne/Leeson'],
    ['one side changed two parts', 'Ann Mary/Leeson', 'Ann/Mary Leeson', 'Ann Marie/Leeson'],
    ['one side changed two parts', 'Ann/Leeson', 'Anne/Leesen', 'Anna/Leeson'],
    ['words moved to the middle name', 'Ann Mary/Lee', 'Ann/Lee/Mary', 'Ann Marie/Lee'],
    ['the merged name would share no word with it', 'Ann/Lee', 'Beth/Lee', 'Ann/Moore'],
  ])('R4: comes from one side if %s: %s, now %s and %s', (_, base, one, other) => {
    for (const [left, right] of [
      [one, other],
      [other, one],
    ] as const) {
      const [toLeft, toRight] = (['left', 'right'] as const).map((conflicts) =>
        mergeNames(base, left, right, { conflicts }),
      );
      expect([toLeft?.names, toRight?.names]).toEqual([[left], [right]]);
      expect([toLeft?.conflicts.length, toRight?.conflicts.length]).not.toContain(0);
      expect(mergeNames(base, left, right, { conflicts: 'ask' }).names).toEqual([left, right]);
    }
  });

  test('R4: of two people is one conflict: the lost name is recorded, and both parts wait for an answer', () => {
    const won = mergeNames('Ann/Lee', 'Beth/Lee', 'Ann/Moore', { conflicts: 'left' });
    expect(won.conflicts).toContainEqual({ field: 'lastName', left: 'Lee', right: 'Moore', winner: 'left' });
    const { conflicts, localFields } = mergeNames('Ann/Lee', 'Beth/Lee', 'Ann/Moore', { conflicts: 'ask' });
    expect(conflicts.map(({ field, winner }) => `${field} ${winner}`)).toEqual(['firstName null', 'lastName null']);
    expect(localFields).toEqual({ left: ['firstName', 'lastName'], right: ['firstName', 'lastName'] });
  });

  test('R4: is merged without a middle name that the link writes to one side only', () => {
    const policy = { conflicts: 'right', directions: { middleName: 'to-right' } } as const;
    const { names } = mergeNames('Leeson/Ann/Mary', 'Ann/Leeson/Marie', 'Leighson/Ann/Mary', policy);
    expect(names).toEqual(['Leighson/Ann/Marie']);
  });
});

describe('a membership', () => {
  /** A contact with its current groups, and its groups when both sides agreed. */
  const member = (groupIds: readonly string[], base: readonly string[] | null) =>
    halfOf(record('x', {}, { groupIds }), { base: base === null ? null : snapshot({}, base) });

  // Whether the contact is in the group now, and was when both sides agreed.
  const STATES = { in: [true, true], out: [false, false], joined: [true, false], left: [false, true] } as const;
  const UNKNOWN = { 'in, unknown': [true, null], 'out, unknown': [false, null] } as const;
  const ALL = { ...STATES, ...UNKNOWN };
  type Name = keyof typeof ALL;

  const move = (left: Name, right: Name, given: Partial<GroupLink> = {}, policy: Partial<Policy> = {}) => {
    const half = (name: Name, id: string) => {
      const [now, base] = ALL[name];
      return member(now ? [id] : [], base === null ? null : base ? [id] : []);
    };
    const halves = bothSides(half(left, 'g-choir'), half(right, 's-choir'));
    const merged = mergeMembership(halves, [link('choir', given)], policyWith(policy));
    return SIDES.map((side) => {
      const { joins, leaves } = merged[side];
      const local = merged.isLocal[side] ? ['local'] : [];
      return [...joins.map(() => 'join'), ...leaves.map(() => 'leave'), ...local].join(', ');
    });
  };

  const [TO_LEFT, TO_RIGHT] = [{ direction: 'to-left' }, { direction: 'to-right' }] as const;

  test.each<[string, Name, Name, string, string, Partial<GroupLink>?, Partial<Policy>?]>([
    ['R3', 'joined', 'out', '', 'join'],
    ['R3', 'left', 'in', '', 'leave'],
    ['R3', 'joined', 'joined', '', ''],
    ['R3', 'left', 'left', '', ''],
    ['R3', 'in', 'out', '', ''],
    ['R3', 'joined', 'left', '', 'join'],
    ['R3', 'joined', 'in', '', ''],
    ['R3', 'left', 'out', '', ''],
    ['R13, at a first match', 'in, unknown', 'out, unknown', '', 'join'],
    ['R13, if one side has a base', 'in', 'out, unknown', '', 'join'],
    ['R13, if the groups are linked for the first time', 'in', 'left', '', 'join', { isUnited: false }],
    ['in a group that this run creates', 'in', 'out', '', 'join', { right: null, isUnited: false }],
    ['in a one-way link to the right', 'joined', 'out', '', 'join', {}, TO_RIGHT],
    ['in a one-way link to the right', 'out', 'joined', '', 'local', {}, TO_RIGHT],
    ['in a one-way link to the right', 'in', 'left', '', 'local', {}, TO_RIGHT],
    ['in a one-way link to the right', 'left', 'joined', '', 'leave, local', {}, TO_RIGHT],
    ['in a one-way link to the left', 'joined', 'left', 'leave, local', '', {}, TO_LEFT],
  ])('%s: %s on the left, %s on the right: %j and %j', (_, left, right, toLeft, toRight, given, policy) => {
    expect(move(left, right, given, policy)).toEqual([toLeft, toRight]);
    // The sides swapped, in a link that writes both.
    if (given?.right !== null && policy === undefined) expect(move(right, left, given)).toEqual([toRight, toLeft]);
  });

  test('R11: names only the groups that changed, not the others of the contact', () => {
    const left = member(['g-choir', 'g-team', 'g-unlinked'], ['g-team', 'g-old']);
    const right = member(['s-team', 's-just-added'], ['s-team']);
    const links = [link('choir'), link('team'), link('old', { right: 's-old' })];
    const merged = mergeMembership(bothSides(left, right), links, policyWith());
    expect(merged.right).toEqual({ joins: ['choir'], leaves: [], agreed: [] });
    expect(merged.left).toEqual({ joins: [], leaves: [], agreed: ['g-old'] });
  });

  test.each([
    ['in on one side leaves both bases, so that it is found again if its write is refused', [], ['s-team']],
    ['in on both sides stays in the bases', ['s-choir'], ['s-choir', 's-team']],
  ])('R11, R15: a group whose members are united and that the contact is %s', (_, right, base) => {
    const halves = bothSides(member(['g-choir'], ['g-choir']), member([...right, 's-team'], ['s-choir', 's-team']));
    const links = [link('choir', { isUnited: false }), link('team')];
    expect(unitingHalves(halves, links).right.base?.groupIds).toEqual(base);
  });
});
