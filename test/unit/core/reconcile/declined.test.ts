import { describe, expect, test } from 'vitest';
import type { Contact, SyncedField } from '../../../../src/core/contact/contact.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';
import { type Declined, withDeclined } from '../../../../src/core/contact/snapshot.ts';
import { withoutPastDifferences, withSettledDifferences } from '../../../../src/core/reconcile/declined.ts';
import { snapshot, values } from './support.ts';

type Case = {
  readonly former?: Declined;
  readonly written: readonly SyncedField[];
  readonly wanted: Partial<Contact>;
  readonly now: Partial<Contact>;
  readonly other?: Partial<Contact>;
  readonly groups?: readonly string[];
};

const settle = ({ former = {}, written, wanted, now, other = wanted, groups = [] }: Case): Declined => {
  const contacts = { wanted: contactOf(wanted), now: contactOf(now), other: contactOf(other) };
  const answered = { ...contacts, written: new Set(written), groups };
  return withSettledDifferences(withDeclined(snapshot(now), former), answered).declined ?? {};
};

const TITLE: Declined = { title: ['A'] };

const SITES = { websites: values('a.org', 'b.org') };

const ONE_SITE = { websites: values('a.org') };

describe('accepted differences', () => {
  test.each<[string, Case, Declined]>([
    ['everything was stored', { written: ['title'], wanted: { title: 'A' }, now: { title: 'A' } }, {}],
    ['a text was not stored', { written: ['title'], wanted: { title: 'A' }, now: {} }, { title: ['A'] }],
    ['an element was not stored', { written: ['websites'], wanted: SITES, now: ONE_SITE }, { websites: ['b.org'] }],
    ['an element was not removed', { written: ['websites'], wanted: ONE_SITE, now: SITES }, { websites: ['b.org'] }],
    ['another field differs', { written: ['title'], wanted: { company: 'A' }, now: {} }, {}],
    ['a former one still exists', { former: TITLE, written: [], wanted: { title: 'A' }, now: {} }, TITLE],
    ['the other side changed', { former: TITLE, written: [], wanted: {}, now: {}, other: { title: 'B' } }, {}],
    ['the sides are equal by now', { former: { websites: ['b.org'] }, written: [], wanted: SITES, now: SITES }, {}],
    ['groups were not stored', { written: [], wanted: {}, now: {}, groups: ['g'] }, { buckets: ['g'] }],
  ])('R2: keeps the differences that are settled if %s', (_, given, declined) => {
    expect(settle(given)).toEqual(declined);
  });

  test('R2: end when the sides are equal in them, without a write', () => {
    const base = withDeclined(snapshot({}), { title: ['A'], company: ['B'] });
    const [now, other] = [contactOf({ title: 'A' }), contactOf({ title: 'A', company: 'B' })];
    expect(withoutPastDifferences(base, now, other).declined).toEqual({ company: ['B'] });
  });
});
