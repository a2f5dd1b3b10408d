import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holdsBound, withBoundEntries } from '../../../../src/core/contact/bound-entries.ts';
import type { EntryChoice } from '../../../../src/core/contact/record.ts';
import { record } from '../reconcile/support.ts';

const FIELDS = ['company', 'title'] as const;

type Entry = readonly [string, string];

/** A record as its adapter reads it: the fields hold the first entry, unless `bound` says otherwise. */
const recordOf = (entries: readonly Entry[], bound: number | null = entries.length === 0 ? null : 0) => {
  const [company, title] = (bound === null ? undefined : entries[bound]) ?? ['', ''];
  const choice: EntryChoice = { fields: FIELDS, entries, bound };
  const isNamed = entries.length > (bound === null ? 0 : 1);
  return record('x', { company, title }, isNamed ? { entries: [choice] } : {});
};

const ACME: Entry = ['Acme', 'CEO'];
const OLD: Entry = ['OldCo', 'Advisor'];
const NEW: Entry = ['NewCo', 'Founder'];
const NONE: Entry = ['', ''];

describe('R10: a field is bound to the entry that it was read from', () => {
  type Row = readonly [string, readonly Entry[], number | null, readonly Entry[], Entry];
  // The known entries, the position of the bound entry, the entries of the side now, and the entry that is bound then.
  test.each<Row>([
    ['nothing changed', [ACME, OLD], 0, [ACME, OLD], ACME],
    ['the order changed', [ACME, OLD], 0, [OLD, ACME], ACME],
    ['the bound entry was edited', [ACME, OLD], 0, [NEW, OLD], NEW],
    ['the other entry was edited', [ACME, OLD], 0, [ACME, NEW], ACME],
    ['another entry was added before it', [ACME, OLD], 0, [NEW, ACME, OLD], ACME],
    ['the bound entry was cleared', [ACME, OLD], 0, [OLD], NONE],
    ['the bound entry was cleared, and a part of it stays', [ACME, OLD], 0, [NONE, OLD], NONE],
    ['the other entry was deleted', [ACME, OLD], 0, [ACME], ACME],
    ['both were deleted', [ACME, OLD], 0, [], NONE],
    ['no entry was bound, and nothing changed', [OLD], null, [OLD], NONE],
    ['no entry was bound, and the other entry was edited', [OLD], null, [NEW], NONE],
    ['no entry was bound, and one was added', [OLD], null, [OLD, NEW], NEW],
    ['no entry was bound, and an equal one was added', [OLD], null, [OLD, OLD], OLD],
    ['the second entry was bound, and the first was deleted', [OLD, ACME], 1, [ACME], ACME],
    ['one of two equal entries was deleted', [ACME, ACME], 0, [ACME], ACME],
    ['the bound one of two equal entries was edited', [ACME, ACME], 0, [NEW, ACME], NEW],
    ['one entry was known', [ACME], 0, [OLD, NEW], OLD],
  ])('%s', (_, known, bound, now, expected) => {
    const { contact, entries } = withBoundEntries(recordOf(now), recordOf(known, bound));
    expect([contact.company, contact.title]).toEqual(expected);
    expect(holdsBound(contact, entries ?? [])).toBe(true);
  });

  test('showing the same entries again changes nothing', () => {
    const former = withBoundEntries(recordOf([OLD]), recordOf([ACME, OLD]));
    expect(JSON.stringify(withBoundEntries(recordOf([OLD]), former))).toBe(JSON.stringify(former));
  });

  test('a record without other entries is the same record', () => {
    const now = recordOf([NEW]);
    expect(withBoundEntries(now, recordOf([ACME]))).toBe(now);
  });

  test('R10: no sequence of clears and edits binds the field to an unmapped entry', () => {
    const value = fc.constantFrom('', 'A', 'B', 'C', 'D');
    fc.assert(
      fc.property(fc.array(value, { maxLength: 8 }), (values) => {
        let known = recordOf([ACME, OLD]);
        for (const company of values) {
          // The entries after a write of the company: the bound entry changed, cleared or added, and the other one.
          const now = recordOf(company === '' ? [OLD] : [[company, ''], OLD]);
          known = withBoundEntries(now, known);
          expect(known.contact.company).toBe(company);
          expect(known.entries?.[0]?.entries).toContainEqual(OLD);
        }
      }),
    );
  });
});
