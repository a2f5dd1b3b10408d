import type { ConflictView } from './views.ts';

/** What decided a conflict, for people and scripts. */
export const DECIDED_BY: Readonly<Record<ConflictView['by'], string>> = {
  'one-way': 'the source of the link wins',
  'preferred side': 'the policy prefers it',
  'newer edit': 'the newer edit wins',
  'longer value': 'the longer value wins',
  'earlier policy': 'the policy was another one then',
  'nobody yet': 'waits for a decision',
};

/** How a conflict stands, for people. */
export const CONFLICT_STATES: Readonly<Record<ConflictView['state'], string>> = {
  open: 'open',
  taking: 'the value that was taken is written by the next run',
  reviewed: 'reviewed',
  superseded: 'superseded',
};
