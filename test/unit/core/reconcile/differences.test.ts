import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Contact, LIST_FIELDS, SCALAR_FIELDS } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import { bySide, type Sides, SIDES } from '../../../../src/core/contact/side.ts';
import { type Declined, withDeclined } from '../../../../src/core/contact/snapshot.ts';
import {
  disputedHalves,
  fieldsOfDifferences,
  unexplainedDifferences,
} from '../../../../src/core/reconcile/differences.ts';
import type { GroupLink } from '../../../../src/core/reconcile/membership.ts';
import { decideMerge } from '../../../../src/core/reconcile/plan.ts';
import { updateOn } from '../../../../src/core/reconcile/planned.ts';
import type { Policy } from '../../../../src/core/reconcile/policy.ts';
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
