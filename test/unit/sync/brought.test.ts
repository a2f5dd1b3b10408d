import { expect, test } from 'vitest';
import type { SyncedField } from '../../../src/contact/contact.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { JournalEntry } from '../../../src/store/store.ts';
import { broughtNoEdit } from '../../../src/sync/brought.ts';
import { entryOf, halfOf, recordOf } from '../../support/store/rows.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const LISTED_AT_MS = 5_000;
const HALF = halfOf('l1', { pair: 7, lastListedAtMs: LISTED_AT_MS, writtenAtMs: LISTED_AT_MS });

const update = (fields: readonly SyncedField[], joining: readonly SyncedField[]): JournalEntry => {
  const entry = entryOf();
  return { ...entry, intent: { ...entry.intent, fields, joining } };
};

type Case = { readonly entries: readonly JournalEntry[]; readonly settledAtMs?: number; readonly daysLater?: number };

const isKnownForNone = async ({ entries, settledAtMs = LISTED_AT_MS, daysLater = 0 }: Case): Promise<boolean> => {
  const store = openStore(':memory:');
  try {
    await store.link('a');
    const token = (await store.acquireLease('a', 'test', 0, 1_000)) ?? 0;
    const ids = await store.commit(
      'a',
      token,
      entries.map((entry) => ({ kind: 'intend', run: 'run-1', entry, atMs: settledAtMs })),
    );
    await store.commit(
      'a',
      token,
      ids.map((id) => ({ kind: 'journal', id, state: 'done', after: null, error: null, atMs: settledAtMs })),
    );
    const clock = createVirtualClock();
    const retentionMs = clock.now() - LISTED_AT_MS;
    clock.advance(daysLater * 86_400_000);
    return (await broughtNoEdit({ clock, link: 'a', retentionMs, store }, [HALF])).has('l1');
  } finally {
    await store.close();
  }
};

const NO_EDIT = update(['title', 'lastContacted as Last contacted'], ['title']);
const EDIT = update(['title', 'company'], ['title']);
const FORMER_ID: Partial<JournalEntry> = { leftId: 'l0', pairId: 7 };
const merged = entryOf({ kind: 'delete', leftId: 'l9', rightId: null, destroys: true });
const MERGE: JournalEntry = { ...merged, intent: { ...merged.intent, source: recordOf('l1') } };

test.each<[string, Case, boolean]>([
  ['is none where it brought what joins or is computed', { entries: [NO_EDIT] }, true],
  ['is one where anything else came along', { entries: [EDIT] }, false],
  ['is one where another write brought it', { entries: [EDIT, NO_EDIT] }, false],
  ['is one where it went to a former id', { entries: [{ ...EDIT, ...FORMER_ID }, NO_EDIT] }, false],
  ['is one where the side merged another contact into it', { entries: [MERGE, NO_EDIT] }, false],
  ['is one where the contact was created', { entries: [{ ...NO_EDIT, kind: 'create' }] }, false],
  ['may be one where the journal says nothing of it', { entries: [] }, false],
  ['may be one where the write was seen in a listing', { entries: [NO_EDIT], settledAtMs: LISTED_AT_MS - 1 }, false],
  ['may be one where the journal may have been pruned since', { entries: [NO_EDIT], daysLater: 1 }, false],
  ['is none where it went to the other side', { entries: [{ ...EDIT, side: 'right' }, NO_EDIT] }, true],
])('[R6] what was written since a listing showed a contact %s', async (_, given, expected) => {
  expect(await isKnownForNone(given)).toBe(expected);
});
