import type { Happening, Write } from './views.ts';

/** What stands above the changes that do the same. */
export const HAPPENING_TITLES: Readonly<Record<Happening, string>> = {
  deletes: 'Deletions',
  conflicts: 'Conflicts',
  creates: 'Creations',
  updates: 'Updates',
  pairings: 'Pairings',
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
  'create-group': 'created',
  'rename-group': 'renamed',
  'delete-group': 'deleted',
};
