import { describe, expect, test } from 'vitest';
import type { Contact, SyncedField } from '../../../../src/contact/contact.ts';
import { contactOf } from '../../../../src/contact/normalise.ts';
import { tookEffect } from '../../../../src/sync/apply/traces.ts';
import { values } from '../../reconcile/support.ts';

const took = (
  fields: readonly SyncedField[],
  before: Partial<Contact>,
  desired: Partial<Contact>,
  now: Partial<Contact>,
) => {
  return tookEffect({ fields, before: contactOf(before), desired: contactOf(desired) }, contactOf(now));
};

const titled = (title: string) => ({ title });
const mails = (...list: string[]) => ({ emailAddresses: values(...list) });

describe('[R9] an update without an answer took effect', () => {
  test.each<[string, string, string, string, boolean]>([
    ['a text stands as it was to be', 'Old', 'New', 'New', true],
    ['a text stands as it was before', 'Old', 'New', 'Old', false],
    ['a text stands as nobody asked for', 'Old', 'New', 'Foreign', false],
    ['a text was cleared as asked', 'Old', '', '', true],
    ['a text that was to be cleared is another one', 'Old', '', 'Foreign', false],
    ['a text was cut off by its side', '', 'Analytical Engine Limited', 'Analytical Engine', true],
    ['a text was asked for that stood already', 'Same', 'Same', 'Same', false],
  ])('%s: %j, asked for %j, now %j', (_, before, desired, now, expected) => {
    expect(took(['title'], titled(before), titled(desired), titled(now))).toBe(expected);
  });

  test.each<[string, string[], string[], string[], boolean]>([
    ['an element came', ['a@x.org'], ['a@x.org', 'b@x.org'], ['a@x.org', 'B@X.org'], true],
    ['an element came, and another one that somebody added', [], ['b@x.org'], ['b@x.org', 'own@x.org'], true],
    ['an element did not come', ['a@x.org'], ['a@x.org', 'b@x.org'], ['a@x.org'], false],
    ['another element came instead', ['a@x.org'], ['a@x.org', 'b@x.org'], ['a@x.org', 'own@x.org'], false],
    ['an element went', ['a@x.org', 'b@x.org'], ['a@x.org'], ['a@x.org'], true],
    ['an element did not go', ['a@x.org', 'b@x.org'], ['a@x.org'], ['b@x.org', 'a@x.org'], false],
    ['one of two came', [], ['a@x.org', 'b@x.org'], ['b@x.org'], true],
  ])('where of a list %s', (_, before, desired, now, expected) => {
    expect(took(['emailAddresses'], mails(...before), mails(...desired), mails(...now))).toBe(expected);
  });

  test('is judged by the fields that were written, and one of them is enough', () => {
    const before = { title: 'Old', company: 'Old' };
    const desired = { title: 'New', company: 'New' };
    expect(took(['title'], before, desired, { title: 'Old', company: 'New' })).toBe(false);
    expect(took(['title', 'company'], before, desired, { title: 'Old', company: 'New' })).toBe(true);
    expect(took(['buckets'], before, desired, desired)).toBe(false);
  });
});
