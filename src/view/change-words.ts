import type { Happening, Write } from './views.ts';

/** What stands above the changes that do the same. */
export const HAPPENING_TITLES: Readonly<Record<Happening, string>> = {
  deletes: 'Deletions',
  'set-apart': 'Set apart',
  conflicts: 'Conflicts',
  creates: 'Creations',
  updates: 'Updates',
  pairings: 'Pairings',
  woken: 'Taking part again',
  unlinks: 'Unlinkings',
};

/** What a write did. */
export const ACTION_WORDS: Readonly<Record<Write['action'], string>> = {
  create: 'created',
  update: 'updated',
  membership: 'moved',
  delete: 'deleted',
  pair: 'paired',
  unlink: 'unlinked',
  'set-apart': 'set apart',
  wake: 'woken',
  ask: 'asked',
  'create-group': 'created',
  'rename-group': 'renamed',
  'delete-group': 'deleted',
};

/** What happens to both contacts of a pair at once. */
export const IS_OF_BOTH: ReadonlySet<Write['action']> = new Set(['pair', 'set-apart', 'wake', 'ask']);
