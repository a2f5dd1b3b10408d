import { FIRST_SYNC, sameAccounts } from '../../../src/core/reconcile/guard.ts';
import { expect, test } from 'vitest';
import { idsOn } from '../../../src/core/contact/pair.ts';
import { headlineOf } from '../../../src/daemon/links/headline.ts';
import { statusOf } from '../../support/run-words.ts';

type Described = Parameters<typeof headlineOf>[0];
const [ONE, OTHER] = [idsOn('left', 'a'), idsOn('left', 'b')];

const SYNCED: Described = { ...statusOf({ pairs: 3 }), lastSync: { outcome: 'completed' }, isRunning: false };

const ONE_ACCOUNT = sameAccounts('home', 'work');
const SIGNED_IN = { lastSync: { outcome: 'failed' }, reason: 'A new sign-in is stored.' } as const;

test.each<[string, Partial<Described>, string, string]>([
  ['every value is synced', {}, 'good', 'in sync'],
  ['a run is in progress', { isRunning: true, state: 'failing' }, 'info', 'sync in progress'],
  ['a plan waits', { state: 'halted', reason: FIRST_SYNC.message }, 'warn', 'waiting for your review'],
  ['two links are one', { state: 'halted', reason: ONE_ACCOUNT.message }, 'bad', 'stopped because of its accounts'],
  ['a sign-in was revoked', { state: 'paused' }, 'bad', 'sign-in needed'],
  ['runs fail', { state: 'failing' }, 'bad', 'sync is failing'],
  ['a person paused it', { pausedByHandAtMs: 1 }, 'warn', 'paused by hand'],
  ['no run has ended', { lastSync: null }, 'info', 'not synced yet'],
  ['a run was stopped', { lastSync: { outcome: 'stopped' } }, 'info', 'the last run was stopped'],
  ['a conflict waits', { openConflicts: 2 }, 'warn', '2 conflicts to decide'],
  ['a run did not complete', { lastSync: { outcome: 'failed' } }, 'warn', 'the last run did not complete'],
  ['a new sign-in is stored', SIGNED_IN, 'info', 'signed in again, waiting for the next run'],
  ['no contact is linked', { pairs: 0 }, 'info', 'no contacts linked yet'],
  ['contacts are not synced', { refused: [ONE], skipped: [ONE, OTHER] }, 'warn', '2 contacts not synced'],
])('a link is headed by its most severe state, and each contact counts once: %s', (_, change, severity, text) => {
  expect(headlineOf({ ...SYNCED, ...change })).toMatchObject({ severity, text });
});
