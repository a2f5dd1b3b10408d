import { describe, expect, test } from 'vitest';
import { EMPTY_CONTACT, LIST_FIELDS, type Contact } from '../../../../src/core/contact/contact.ts';
import { otherSide, SIDES, type Side } from '../../../../src/core/contact/side.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import { withList } from '../../../../src/core/contact/lists.ts';
import { mergeHalves, mergeList, mergeScalar } from '../../../../src/core/reconcile/merge.ts';
import type { Policy } from '../../../../src/core/reconcile/policy.ts';
import { address, bothSides, policyWith, sideOf, values } from './support.ts';

type FieldMerge = ReturnType<typeof mergeHalves>;

const mergeOf = (left: Half, right: Half, policy: Policy = policyWith()): FieldMerge => {
  return mergeHalves(bothSides(left, right), policy);
};

/** Merges with the values of `own` on the given side. */
const mergeFrom = (side: Side, own: Half, other: Half, policy?: Policy): FieldMerge => {
  return side === 'left' ? mergeOf(own, other, policy) : mergeOf(other, own, policy);
};

const QUIET = { fields: { left: [], right: [] }, localFields: { left: [], right: [] }, conflicts: [] };

type Row = [string, [string | null, string], [string | null, string], string];
// Each side as [base, now]; a null base: the sides never agreed.
test.each<Row>([
  ['unchanged on both', ['a', 'a'], ['a', 'a'], 'quiet'],
  ['always different, unchanged on both', ['a', 'a'], ['b', 'b'], 'quiet'],
  ['changed at Google', ['a', 'x'], ['a', 'a'], 'left'],
  ['cleared at Google', ['a', ''], ['a', 'a'], 'left'],
  ['changed at Google to the value of the service', ['a', 'b'], ['b', 'b'], 'quiet'],
  ['changed on both alike', ['a', 'x'], ['a', 'x'], 'quiet'],
  ['changed differently on both', ['a', 'x'], ['a', 'y'], 'conflict'],
  ['cleared at Google, changed at the service', ['a', ''], ['a', 'y'], 'conflict'],
  ['swapped', ['a', 'b'], ['b', 'a'], 'conflict'],
  ['equal at a first match', [null, 'a'], [null, 'a'], 'quiet'],
  ['filled at Google only at a first match', [null, 'a'], [null, ''], 'left'],
  ['different at a first match', [null, 'a'], [null, 'b'], 'conflict'],
  ['different, only Google has a base', ['a', 'a'], [null, 'b'], 'conflict'],
  ['emptied at Google, only the service has a base', [null, ''], ['b', 'b'], 'right'],
])('[R3] a scalar that is %s', (_, [leftBase, left], [rightBase, right], expected) => {
  const side = (base: string | null, now: string) => sideOf({ title: now }, base === null ? null : { title: base });
  const outcome = mergeScalar('title', bothSides(side(leftBase, left), side(rightBase, right)));
  expect(outcome.kind === 'propagate' ? outcome.from : outcome.kind).toBe(expected);
});

describe('a list', () => {
  type Lists = [base: string | null, now: string];
  type Deltas = { left?: string; right?: string };
  // Elements are letters; a delta reads `+x -y`.
  test.each<[string, Lists, Lists, Deltas]>([
    ['unchanged on both', ['ab', 'ab'], ['ab', 'ab'], {}],
    ['reordered', ['ab', 'ba'], ['ab', 'ab'], {}],
    ['added to at Google', ['a', 'ab'], ['a', 'a'], { right: '+b' }],
    ['added to differently on both', ['a', 'ab'], ['a', 'ac'], { left: '+c', right: '+b' }],
    ['shortened at Google', ['ab', 'a'], ['ab', 'ab'], { right: '-b' }],
    ['shortened differently on both', ['ab', 'a'], ['ab', 'b'], { left: '-a', right: '-b' }],
    ['changed differently on both', ['a', 'b'], ['a', 'c'], { left: '+c', right: '+b' }],
    ['removed at Google, never stored by the service', ['ab', 'a'], ['a', 'a'], {}],
    ['stored at Google, never stored by the service', ['ab', 'ab'], ['a', 'a'], {}],
    ['removed at Google, added again at the service', ['ab', 'a'], ['a', 'ab'], { left: '+b' }],
    ['united at a first match', [null, 'ab'], [null, 'bc'], { left: '+c', right: '+a' }],
    ['equal at a first match', [null, 'ab'], [null, 'ba'], {}],
    ['united if only Google has a base', ['ab', 'a'], [null, 'b'], { left: '+b', right: '+a' }],
  ])('[R3] that is %s', (_, [leftBase, left], [rightBase, right], expected) => {
    const emails = (letters: string) => ({
      emailAddresses: values(...[...letters].map((letter) => `${letter}@x.org`)),
    });
    const side = (base: string | null, now: string) => sideOf(emails(now), base === null ? null : emails(base));
    const deltas = mergeList('emailAddresses', bothSides(side(leftBase, left), side(rightBase, right)));
    const letters = (sign: string, list: readonly object[]) =>
      list.map((element) => `${sign}${'value' in element ? String(element.value)[0] : ''}`);
    const texts = (to: Side) => [...letters('+', deltas[to].add), ...letters('-', deltas[to].remove)].join(' ');
    expect([texts('left'), texts('right')]).toEqual([expected.left ?? '', expected.right ?? '']);
  });

  test.each(LIST_FIELDS)('[R3] of %s is merged by element', (field) => {
    const element = (text: string) => (field === 'addresses' ? address(text) : { value: text, label: null });
    const list = (...texts: string[]): Partial<Contact> => withList(EMPTY_CONTACT, field, texts.map(element));
    const base = list('1111111', '2222222');
    const merge = mergeOf(
      sideOf(list('1111111', '3333333'), base),
      sideOf(list('1111111', '2222222', '4444444'), base),
    );
    expect(merge.fields).toEqual({ left: [field], right: [field] });
    expect(merge.desired.left[field]).toEqual(['1111111', '3333333', '4444444'].map(element));
    // The replacement of the second element takes its place.
    expect(merge.desired.right[field]).toEqual(['1111111', '3333333', '4444444'].map(element));
  });

  test('[R3] keeps the labels, the spelling and the order of the side that has the element', () => {
    const mail = (value: string, label: string | null) => ({ value, label });
    const left = [mail('B@X.org', 'home'), mail('a@x.org', null)];
    const right = [mail('A@x.org', 'work'), mail('b@x.org', 'other')];
    const added = mail('c@x.org', 'mobile');
    const merge = mergeOf(
      sideOf({ emailAddresses: [...left, added] }, { emailAddresses: left }),
      sideOf({ emailAddresses: right }, { emailAddresses: right }),
    );
    expect(merge.fields).toEqual({ left: [], right: ['emailAddresses'] });
    expect(merge.desired.right.emailAddresses).toEqual([...right, added]);
    expect(merge.desired.left.emailAddresses).toEqual([...left, added]);
  });

  test('[R13] of a first match does not duplicate one number in two spellings', () => {
    const [left, right] = [values('030 901820', '112'), values('+49 30 901820', '1-1-2')];
    expect(mergeOf(sideOf({ phoneNumbers: left }, null), sideOf({ phoneNumbers: right }, null))).toMatchObject(QUIET);
  });
});

test('[R2] each side is measured against its own base: a rewritten value is removed if its original is removed', () => {
  const [long, cut] = [values('a.very.long.address@example.org'), values('a.very.long.address@exam')];
  const right = sideOf({ emailAddresses: cut }, { emailAddresses: cut });
  const merge = mergeOf(sideOf({ emailAddresses: [] }, { emailAddresses: long }), right);
  expect(merge.fields).toEqual({ left: [], right: ['emailAddresses'] });
  expect(merge.desired.right.emailAddresses).toEqual([]);
});

test.each([
  ['to-left', 'right', 'left'],
  ['to-right', 'left', 'right'],
] as const)('a link %s writes what %s changed and holds what %s changed', (direction, source, target) => {
  const base = { title: 'Cook', emailAddresses: values('a@x.org', 'b@x.org') };
  const own = sideOf({ ...base, company: 'Source' }, base);
  const other = sideOf({ title: 'Local', emailAddresses: values('a@x.org', 'c@x.org') }, base);
  const { fields, desired, localFields } = mergeFrom(source, own, other, policyWith({ direction }));
  expect(desired[source]).toEqual(own.record.contact);
  expect(desired[target]).toEqual({ ...other.record.contact, company: 'Source' });
  expect(fields).toEqual({ [source]: [], [target]: ['company'] });
  expect(localFields).toEqual({ [source]: [], [target]: ['title', 'emailAddresses'] });
});

describe('a first match', () => {
  const FULL = { region: 'RM', postalCode: '00184', country: 'Italia' };

  test.each(SIDES)('R13: an address that lacks parts at %s becomes the fuller one, under its own label', (side) => {
    const bare = { addresses: [address('Via Cavour 1', { label: 'casa' })] };
    const full = { addresses: [address('via Cavour 1', { ...FULL, label: 'home' })] };
    const merge = mergeFrom(side, sideOf(bare, null), sideOf(full, null));
    expect(merge.fields).toEqual({ left: [], right: [], [side]: ['addresses'] });
    expect(merge.desired[side].addresses).toEqual([address('Via Cavour 1', { ...FULL, label: 'casa' })]);
    expect(merge.desired[otherSide(side)].addresses).toEqual(full.addresses);
  });

  test('R5: an address that may match either of two stays separate', () => {
    const bare = address('Via Cavour 1');
    const [one, other] = [address('Via Cavour 1', { region: 'RM' }), address('Via Cavour 1', { region: 'LT' })];
    const { desired } = mergeOf(sideOf({ addresses: [bare] }, null), sideOf({ addresses: [one, other] }, null));
    expect(desired.left.addresses).toEqual([bare, one, other]);
    expect(desired.right.addresses).toEqual([one, other, bare]);
  });

  test('R13: a side whose write failed gets the fuller address at the next run, not a second one', () => {
    const [bare, full] = [address('Via Cavour 1'), address('Via Cavour 1', FULL)];
    const left = sideOf({ addresses: [bare] }, { addresses: [bare] });
    const merge = mergeOf(left, sideOf({ addresses: [full] }, {}));
    expect(merge.desired.left.addresses).toEqual([full]);
    expect(merge.fields.right).toEqual([]);
  });

  test('R3: a part that a user adds to a known address reaches the other side', () => {
    const [bare, full] = [address('Via Cavour 1'), address('Via Cavour 1', FULL)];
    const agreed = { addresses: [bare] };
    const merge = mergeOf(sideOf({ addresses: [full] }, agreed), sideOf(agreed, agreed));
    expect(merge.desired.right.addresses).toEqual([full]);
    const back = mergeOf(sideOf(agreed, { addresses: [full] }), sideOf({ addresses: [full] }, { addresses: [full] }));
    expect(back.desired.right.addresses).toEqual([bare]);
  });

  test('R3: another type of a relation reaches the other side', () => {
    const named = (label: string | null) => ({ relations: [{ value: 'Ann', label }] });
    const { desired } = mergeOf(sideOf(named('wife'), named('friend')), sideOf(named('friend'), named('friend')));
    expect(desired.right.relations).toEqual(named('wife').relations);
  });

  type Name = readonly [string, string];
  test.each<[string, Name, Name, Name, Partial<Policy>]>([
    ['the divided name wins over the whole one', ['Mary Ann Lee', ''], ['Mary Ann', 'Lee'], ['Mary Ann', 'Lee'], {}],
    [
      'also if the policy names the other side',
      ['', 'Mary Lee'],
      ['Mary', 'Lee'],
      ['Mary', 'Lee'],
      { conflicts: 'left' },
    ],
    ['also if Google divides it', ['Mary', 'Lee'], ['mary lee', ''], ['Mary', 'Lee'], { conflicts: 'right' }],
    ['also if the policy asks', ['Mary', 'Lee'], ['Mary Lee', ''], ['Mary', 'Lee'], { conflicts: 'ask' }],
    ['a single name is stored in the policy’s field', ['Cher', ''], ['', 'Cher'], ['Cher', ''], {}],
    ['also if that is the service’s', ['Cher', ''], ['', 'Cher'], ['', 'Cher'], { conflicts: 'right' }],
    ['also if the policy asks about it', ['Ann Lee', ''], ['', 'Ann Lee'], ['Ann Lee', ''], { conflicts: 'ask' }],
    ['a part of the whole name adds nothing', ['', 'Lee'], ['Mary Lee', ''], ['Mary Lee', ''], { conflicts: 'left' }],
    ['a word that is intentionally repeated stays', ['Lee', ''], ['Lee', 'Lee'], ['Lee', 'Lee'], {}],
    ['a missing part is filled', ['Mary', ''], ['Mary', 'Lee'], ['Mary', 'Lee'], { conflicts: 'left' }],
    ['two missing parts are filled', ['Mary', ''], ['', 'Lee'], ['Mary', 'Lee'], {}],
    ['a character that is not a letter is not dropped', ['🙂', ''], ['', '🎉'], ['🙂', '🎉'], {}],
    [
      'a name divided in two ways follows the policy',
      ['Mary Ann', 'Lee'],
      ['Mary', 'Ann Lee'],
      ['Mary Ann', 'Lee'],
      {},
    ],
    ['a name without spaces is divided', ['山田太郎', ''], ['太郎', '山田'], ['太郎', '山田'], { conflicts: 'left' }],
    ['also with a title', ['Dr. 山田太郎', ''], ['太郎', '山田'], ['Dr. 山田太郎', ''], {}],
  ])('[R13] of one full name duplicates no word: %s', (_, left, right, expected, policy) => {
    const side = ([firstName, lastName]: Name) => sideOf({ firstName, lastName }, null);
    const { desired } = mergeOf(side(left), side(right), policyWith(policy));
    expect([desired.left.firstName, desired.left.lastName]).toEqual(expected);
    expect([desired.right.firstName, desired.right.lastName]).toEqual(expected);
  });

  test('[R13] of one full name does not change the source of a one-way link', () => {
    const [left, right] = [
      sideOf({ firstName: 'Mary Lee' }, null),
      sideOf({ firstName: 'Mary', lastName: 'Lee' }, null),
    ];
    const merge = mergeOf(left, right, policyWith({ direction: 'to-right' }));
    expect(merge).toMatchObject({ ...QUIET, localFields: { left: [], right: ['firstName', 'lastName'] } });
  });

  test('once paired, a name that one side divides differently is adopted unchanged', () => {
    const base = { firstName: 'Mary Lee' };
    const merge = mergeOf(sideOf({ firstName: 'Mary', lastName: 'Lee' }, base), sideOf(base, base));
    expect(merge.desired.right).toEqual(merge.desired.left);
  });
});

test.each(SIDES)(
  '[R5] a number that the %s side still has in its national form is not removed on the other one',
  (side) => {
    const international = values('+49 30 901820');
    const own = sideOf({ phoneNumbers: values('030 901820') }, { phoneNumbers: values('+49 30 901820', '030 901820') });
    const other = sideOf({ phoneNumbers: international }, { phoneNumbers: international });
    expect(mergeFrom(side, own, other)).toMatchObject(QUIET);
    const removed = sideOf({ phoneNumbers: [] }, { phoneNumbers: values('+49 30 901820', '030 901820') });
    expect(mergeFrom(side, removed, other).desired[otherSide(side)].phoneNumbers).toEqual([]);
  },
);
