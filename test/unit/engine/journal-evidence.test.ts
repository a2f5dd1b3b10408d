import { expect, test } from 'vitest';
import type { ContactField, SyncedField } from '../../../src/core/contact/contact.ts';
import type { Operation, UpdateOperation } from '../../../src/core/reconcile/operation.ts';
import { originScopes } from '../../../src/engine/accounts.ts';
import { writesCarriedNoEdit } from '../../../src/engine/journal-evidence.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { patchLink } from '../../support/store/rows.ts';
import { halfOf, operationOf, recordOf } from '../../support/store/rows.ts';
import { createVirtualClock } from '../../support/clocks.ts';

const LISTED_AT_MS = 5_000;

const HALF = halfOf('l1', { pair: 7, lastListedAtMs: LISTED_AT_MS, writtenAtMs: LISTED_AT_MS });

const update = (fields: readonly ContactField[], joining: readonly SyncedField[]): UpdateOperation =>
  operationOf('update', { fields, joining });

type Case = { readonly operations: readonly Operation[]; readonly settledAtMs?: number; readonly daysLater?: number };

const isKnownForNone = async ({ operations, settledAtMs = LISTED_AT_MS, daysLater = 0 }: Case): Promise<boolean> => {
  const store = openStore(':memory:');
  try {
    await store.link('a');
    const token = (await store.acquireLease('a', 'test', 0, 1_000)) ?? 0;
    const ids = await store.commit(
      'a',
      token,
      operations.map((operation) => ({ kind: 'intend', run: 'run-1', operation, atMs: settledAtMs })),
    );
    await store.commit(
      'a',
      token,
      ids.map((id) => ({ kind: 'journal', id, state: 'done', after: null, error: null, atMs: settledAtMs })),
    );
    const clock = createVirtualClock();
    const retentionMs = clock.now() - LISTED_AT_MS;
    clock.advance(daysLater * 86_400_000);
    return (await writesCarriedNoEdit({ clock, link: 'a', retentionMs, store }, [HALF])).has('l1');
  } finally {
    await store.close();
  }
};

const NO_EDIT = update(['title', 'lastContacted'], ['title']);

const EDIT = update(['title', 'company'], ['title']);

const FORMER_ID = { leftId: 'l0', pairId: 7 };

const MERGE = operationOf('delete', { leftId: 'l9', rightId: null, survivor: recordOf('l1') });

test.each<[string, Case, boolean]>([
  [
    'a write of computed fields and of fields that only started to sync is not an edit',
    { operations: [NO_EDIT] },
    true,
  ],
  ['a write that includes another field may be an edit', { operations: [EDIT] }, false],
  ['two writes may be an edit if one of them includes another field', { operations: [EDIT, NO_EDIT] }, false],
  ['a write to a former id of the contact may be an edit', { operations: [{ ...EDIT, ...FORMER_ID }, NO_EDIT] }, false],
  ['a merge of another contact into this one may be an edit', { operations: [MERGE, NO_EDIT] }, false],
  ['the create of the contact may be an edit', { operations: [operationOf('create')] }, false],
  ['a change without a journal entry may be an edit', { operations: [] }, false],
  [
    'a change may be an edit if the write is older than the listing',
    { operations: [NO_EDIT], settledAtMs: LISTED_AT_MS - 1 },
    false,
  ],
  ['a change may be an edit if the journal may be pruned', { operations: [NO_EDIT], daysLater: 1 }, false],
  [
    'a write to the other side does not count as an edit of this side',
    { operations: [{ ...EDIT, side: 'right' }, NO_EDIT] },
    true,
  ],
])('[R6] after a listing, %s', async (_, given, expected) => {
  expect(await isKnownForNone(given)).toBe(expected);
});

const ENDPOINTS = { left: 'google https://people.example', right: 'service https://api.example' };

const scopesOf = async (
  accounts: { readonly left: string | null; readonly right: string | null },
  endpoints = ENDPOINTS,
) => {
  const store = openStore(':memory:');
  try {
    await patchLink(store, 'a', { accounts });
    const state = await store.link('a');
    return originScopes({ state: () => state, endpoints });
  } finally {
    await store.close();
  }
};

test('[R9] an origin contains the account and the address of its source, and neither of the other side', async () => {
  const known = await scopesOf({ left: 'people/1', right: 'user_1' });
  expect(await scopesOf({ left: 'people/1', right: 'user_1' })).toEqual(known);
  const otherAccount = await scopesOf({ left: 'people/1', right: 'user_2' });
  const otherPlace = await scopesOf(
    { left: 'people/1', right: 'user_1' },
    { ...ENDPOINTS, right: 'service https://staging.example' },
  );
  for (const other of [otherAccount, otherPlace]) {
    expect(other.left).toBe(known.left);
    expect(other.right).not.toBe(known.right);
  }
  expect(known.left).toMatch(/^\S{16}$/u);
  expect(JSON.stringify(known)).not.toMatch(/user_1|example/u);
});
