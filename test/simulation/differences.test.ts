import { describe, expect, test } from 'vitest';
import type { Contact } from '../../src/core/contact/contact.ts';
import type { Half } from '../../src/core/contact/half.ts';
import type { Sides } from '../../src/core/contact/side.ts';
import { type Declined, withDeclined } from '../../src/core/contact/snapshot.ts';
import type { GroupLink } from '../../src/core/reconcile/membership.ts';
import type { Policy } from '../../src/core/reconcile/policy.ts';
import {
  bothSides,
  halfOf,
  link,
  policyWith,
  record,
  sideOf,
  snapshot,
  values,
} from '../unit/core/reconcile/support.ts';
import { unexplainedFields } from './differences.ts';

type Given = { readonly links?: readonly GroupLink[]; readonly policy?: Policy };

const fieldsOf = (halves: Sides<Half>, { links = [], policy = policyWith() }: Given = {}) =>
  unexplainedFields(halves, links, policy);

const agreed = (own: Partial<Contact>): Half => sideOf(own, own);

const declining = (half: Half, declined: Declined): Half => ({
  ...half,
  base: half.base && withDeclined(half.base, declined),
});

const EMAILS = { emailAddresses: values('a@x.org', 'b@x.org') };

const ONE_EMAIL = { emailAddresses: values('a@x.org') };

describe('the judge of a linked pair', () => {
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
    ['declined an element', bothSides(agreed(EMAILS), declining(agreed(ONE_EMAIL), { emailAddresses: ['b@x.org'] }))],
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
      ['an undo left it', bothSides(inGroup(['g-choir']), inGroup([], [], { buckets: ['s-choir'] })), choir, []],
      ['the groups are not united', bothSides(inGroup(['g-choir']), inGroup([])), { ...choir, isUnited: false }, []],
      ['the group has no counterpart', bothSides(inGroup(['g-choir']), inGroup([])), { ...choir, right: null }, []],
    ])('R11: compares a membership if %s', (_, halves, group, fields) => {
      expect(fieldsOf(halves, { links: [group] })).toEqual(fields);
    });
  });
});
