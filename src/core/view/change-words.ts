import type { Happening, Write } from './views.ts';

/** The heading of the changes of each kind. */
export const HAPPENING_TITLES: Readonly<Record<Happening, string>> = {
  deletes: 'Deletions',
  'set-apart': 'Detached',
  conflicts: 'Conflicts',
  creates: 'Creations',
  updates: 'Updates',
  pairings: 'Pairings',
  woken: 'Reattached',
  unlinks: 'Unlinked',
};

/** The action of a write, in the past tense. */
export const ACTION_WORDS: Readonly<Record<Write['action'], string>> = {
  create: 'created',
  update: 'updated',
  membership: 'groups changed',
  delete: 'deleted',
  pair: 'paired',
  unlink: 'unlinked',
  'set-apart': 'detached',
  wake: 'reattached',
  ask: 'decision requested',
  'create-group': 'created',
  'rename-group': 'renamed',
  'delete-group': 'deleted',
};

/** Actions that affect both contacts of a pair. */
export const IS_OF_BOTH: ReadonlySet<Write['action']> = new Set(['pair', 'set-apart', 'wake', 'ask']);
