import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Contact, LIST_FIELDS, SCALAR_FIELDS, type SyncedField } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import { keyLists } from '../../../../src/core/contact/lists.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';
import { bySide, type Sides, SIDES } from '../../../../src/core/contact/side.ts';
import { type Declined, withDeclined } from '../../../../src/core/contact/snapshot.ts';
import { settleDeclined } from '../../../../src/core/reconcile/declined.ts';
import {
  disputedHalves,
  fieldsOfDifferences,
  unexplainedDifferences,
} from '../../../../src/core/reconcile/differences.ts';
import type { GroupLink } from '../../../../src/core/reconcile/membership.ts';
import { decideMerge } from '../../../../src/core/reconcile/plan.ts';
import { updateOn } from '../../../../src/core/reconcile/planned.ts';
import type { Policy } from '../../../../src/core/reconcile/policy.ts';
import { aliasLeftovers, resembles } from '../../../../src/core/reconcile/similar.ts';
import { check, contact, keysOf, settled, sideOf as halfWith } from './properties-support.ts';
import { bothSides, halfOf, link, pairOf, policyWith, record, sideOf, snapshot, values } from './support.ts';

type Given = { readonly links?: readonly GroupLink[]; readonly policy?: Policy };

const fieldsOf = (halves: Sides<Half>, { links = [], policy = policyWith() }: Given = {}) => {
  const differences = unexplainedDifferences(halves, links, policy);
  return differences === null ? [] : fieldsOfDifferences(differences);
};

const agreed = (own: Partial<Contact>): Half => sideOf(own, own);

const declining = (half: Half, declined: Declined): Half => ({
  ...half,
  base: half.base && withDeclined(half.base, declined),
});

const EMAILS = { emailAddresses: values('a@x.org', 'b@x.org') };

const ONE_EMAIL = { emailAddresses: values('a@x.org') };

describe('unexplainedDifferences', () => {
  test('R5: finds a text and an element that differ although no side changed them', () => {
    const halves = bothSides(agreed({ title: 'Sailor', ...EMAILS }), agreed({ title: 'Baker', ...ONE_EMAIL }));
    expect(fieldsOf(halves)).toEqual(['title', 'emailAddresses']);
  });

  test.each<[string, Sides<Half>]>([
    ['halves are equal', bothSides(agreed(EMAILS), agreed(EMAILS))],
    ['a change is outstanding', bothSides(sideOf(EMAILS, ONE_EMAIL), agreed(ONE_EMAIL))],
    ['both sides changed a text', bothSides(sideOf({ title: 'A' }, {}), sideOf({ title: 'B' }, {}))],
    ['the two never agreed', bothSides(sideOf({ title: 'A' }, null), sideOf({ title: 'B' }, null))],
    ['a side declined a text', bothSides(agreed({ title: 'A' }), declining(agreed({}), { title: ['A'] }))],
    [
      'a side declined an element',
      bothSides(agreed(EMAILS), declining(agreed(ONE_EMAIL), { emailAddresses: ['b@x.org'] })),
    ],
    ['a side cut a text off', bothSides(agreed({ title: 'Sailor at sea' }), agreed({ title: 'Sailor' }))],
    [
      'a side rewrote an element',
      bothSides(
        agreed({ websites: values('example.org/some/long/path') }),
        agreed({ websites: values('example.org/some/long') }),
      ),
    ],
  ])('R5: finds nothing if %s', (_, halves) => {
    expect(fieldsOf(halves)).toEqual([]);
  });

  test('R5: a declined value explains the difference from that value alone', () => {
    const halves = bothSides(agreed({ title: 'B' }), declining(agreed({}), { title: ['A'] }));
    expect(fieldsOf(halves)).toEqual(['title']);
  });

  test('R5: a field that is synced one way explains its differences', () => {
    const halves = bothSides(agreed({ title: 'Sailor', ...EMAILS }), agreed({ title: 'Baker', ...ONE_EMAIL }));
    expect(fieldsOf(halves, { policy: policyWith({ directions: { title: 'to-left' } }) })).toEqual(['emailAddresses']);
    expect(fieldsOf(halves, { policy: policyWith({ direction: 'to-right' }) })).toEqual([]);
  });

  describe('in groups', () => {
    const inGroup = (groupIds: readonly string[], baseIds = groupIds, declined: Declined = {}): Half =>
      halfOf(record('x', {}, { groupIds }), { base: withDeclined(snapshot({}, baseIds), declined) });
    const choir = link('choir');

    test.each<[string, Sides<Half>, GroupLink, readonly string[]]>([
      ['only one side is a member', bothSides(inGroup(['g-choir']), inGroup([])), choir, ['buckets']],
      ['one side joined', bothSides(inGroup(['g-choir'], []), inGroup([])), choir, []],
      [
        'an undo left the difference',
        bothSides(inGroup(['g-choir']), inGroup([], [], { buckets: ['s-choir'] })),
        choir,
        [],
      ],
      ['the groups are not united yet', bothSides(inGroup(['g-choir']), inGroup([])), { ...choir, settled: false }, []],
      ['the group has no counterpart', bothSides(inGroup(['g-choir']), inGroup([])), { ...choir, right: null }, []],
    ])('R11: compares a membership if %s', (_, halves, group, fields) => {
      expect(fieldsOf(halves, { links: [group] })).toEqual(fields);
    });
  });
});

describe('disputedHalves', () => {
  const twoContacts = () =>
    fc.tuple(contact(), contact()).map(([left, right]) => bothSides(settled(left), settled(right)));

  /** The pair as the next plan reads it, and the same pair after its writes. */
  const repaired = (halves: Sides<Half>) => {
    const policy = policyWith();
    const differences = unexplainedDifferences(halves, [], policy);
    if (differences === null) return null;
    const disputed = disputedHalves(halves, differences);
    const merge = decideMerge(pairOf(disputed.left, disputed.right), disputed, [], policy);
    return { differences, merge };
  };

  test('R5: loses no element and no text that only one side has, and asks about two texts', () => {
    check(
      fc.property(twoContacts(), (halves) => {
        const result = repaired(halves);
        if (result === null) return;
        const { writes, conflicts } = result.merge;
        const after = bySide((side) => updateOn(writes, side)?.desired ?? halves[side].record.contact);
        for (const side of SIDES) {
          const before = halves[side].record.contact;
          for (const field of LIST_FIELDS) {
            expect([...keysOf(before, field)].filter((key) => !keysOf(after[side], field).has(key))).toEqual([]);
          }
          // One side gives both parts of a name that the sides divide differently.
          const texts = SCALAR_FIELDS.filter((field) => field !== 'firstName' && field !== 'lastName');
          const lost = texts.filter((field) => before[field] !== '' && after[side][field] !== before[field]);
          expect(lost.filter((field) => !conflicts.some((each) => each.field === field))).toEqual([]);
        }
      }),
    );
  });

  test('R1: once the merge is written, no difference is unexplained', () => {
    check(
      fc.property(twoContacts(), (halves) => {
        const result = repaired(halves);
        if (result === null) return;
        const after = bySide((side) => {
          const now = updateOn(result.merge.writes, side)?.desired ?? halves[side].record.contact;
          return { ...halfWith(now, now), side };
        });
        expect(unexplainedDifferences(after, [], policyWith())).toBeNull();
      }),
    );
  });
});

type Case = {
  readonly former?: Declined;
  readonly written: readonly SyncedField[];
  readonly wanted: Partial<Contact>;
  readonly now: Partial<Contact>;
  readonly other?: Partial<Contact>;
  readonly groups?: readonly string[];
};

const settle = ({ former, written, wanted, now, other = wanted, groups = [] }: Case): Declined =>
  settleDeclined({
    former,
    written: new Set(written),
    wanted: contactOf(wanted),
    now: contactOf(now),
    other: contactOf(other),
    groups,
  });

const SITES = { websites: values('a.org', 'b.org') };

const ONE_SITE = { websites: values('a.org') };

describe('settleDeclined', () => {
  test.each<[string, Case, Declined]>([
    ['everything was stored', { written: ['title'], wanted: { title: 'A' }, now: { title: 'A' } }, {}],
    ['a text was not stored', { written: ['title'], wanted: { title: 'A' }, now: {} }, { title: ['A'] }],
    ['an element was not stored', { written: ['websites'], wanted: SITES, now: ONE_SITE }, { websites: ['b.org'] }],
    ['an element was not removed', { written: ['websites'], wanted: ONE_SITE, now: SITES }, { websites: ['b.org'] }],
    ['another field differs', { written: ['title'], wanted: { company: 'A' }, now: {} }, {}],
    [
      'a former difference still exists',
      { former: { title: ['A'] }, written: [], wanted: { title: 'A' }, now: {} },
      { title: ['A'] },
    ],
    [
      'the other side changed',
      { former: { title: ['A'] }, written: [], wanted: {}, now: {}, other: { title: 'B' } },
      {},
    ],
    ['the sides are equal by now', { former: { websites: ['b.org'] }, written: [], wanted: SITES, now: SITES }, {}],
    ['groups were not stored', { written: [], wanted: {}, now: {}, groups: ['g'] }, { buckets: ['g'] }],
  ])('R2: keeps the differences that are settled if %s', (_, given, declined) => {
    expect(settle(given)).toEqual(declined);
  });
});

describe('[R2] a text may be another one as rewritten by a side', () => {
  test.each([
    ['Ada@Example.ORG', 'ada@example.org', true],
    ['(030) 90-18-20', '030901820', true],
    ['a.very.long.address@example.org', 'a.very.long.addr', true],
    ['+49 30 901820', '030 901820', true],
    ['+49 30 901820', '901820', true],
    ['+49 30 901820', '820', false],
    ['000000', '+49 30 901820', false],
    ['anna@example.org', 'joanna@example.org', false],
    ['ada@x.org', 'bob@x.org', false],
    ['', '', true],
    ['🎉', '🎂', false],
  ])('%j and %j: %s', (one, other, expected) => {
    expect([resembles(one, other), resembles(other, one)]).toEqual([expected, expected]);
  });
});

describe('[R2] a value that one side rewrote', () => {
  const lists = (
    left: string[],
    leftBase: string[],
    right: string[],
    rightBase: string[],
  ): Parameters<typeof aliasLeftovers>[0] => {
    return keyLists('phoneNumbers', {
      left: values(...left),
      leftBase: values(...leftBase),
      right: values(...right),
      rightBase: values(...rightBase),
    });
  };
  const [whole, cut] = ['+4930901820', '901820'];
  const keys = (four: Parameters<typeof aliasLeftovers>[0]) => [four.left, four.right].map((list) => [...list.keys()]);

  test('gets one key', () => {
    expect(keys(aliasLeftovers(lists([whole], [whole], [cut], [cut])))).toEqual([[whole], [whole]]);
  });

  test('keeps its own key while only one side has it in its base', () => {
    expect(keys(aliasLeftovers(lists([whole], [whole], [cut], [])))).toEqual([[whole], [cut]]);
  });

  test('[R5] keeps its own key once a side has both spellings', () => {
    expect(keys(aliasLeftovers(lists([whole], [whole], [cut, whole], [cut])))).toEqual([[whole], [cut, whole]]);
    expect(keys(aliasLeftovers(lists([whole, cut], [whole], [cut], [cut])))).toEqual([[whole, cut], [cut]]);
  });

  test('is the twin of one original only', () => {
    const [one, two] = ['+4930901820', '+4940901820'];
    const { rightBase } = aliasLeftovers(lists([one, two], [one, two], [cut], [cut]));
    expect([...rightBase.keys()]).toEqual([one]);
  });
});
