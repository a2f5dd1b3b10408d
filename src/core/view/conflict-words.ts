import type { ConflictView } from './views.ts';

/** The reason why a value of a conflict won; part of text and JSON. */
export const DECIDED_BY: Readonly<Record<ConflictView['by'], string>> = {
  'one-way': 'the source side of the link wins',
  'preferred side': 'the policy prefers it',
  'newer edit': 'the newer edit wins',
  'longer value': 'the longer value wins',
  'earlier policy': 'an earlier policy decided',
  'nobody yet': 'needs a decision',
};

/** The state of a conflict. */
export const CONFLICT_STATES: Readonly<Record<ConflictView['state'], string>> = {
  open: 'open',
  taking: 'the next run writes the chosen value',
  reviewed: 'reviewed',
  superseded: 'superseded',
};
