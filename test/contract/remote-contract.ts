import { fieldScenes } from './scenes/fields.ts';
import { groupScenes } from './scenes/groups.ts';
import { mergeScenes } from './scenes/merge.ts';
import { pullScenes } from './scenes/pull.ts';
import { readScenes } from './scenes/read.ts';
import { troubleScenes } from './scenes/troubles.ts';
import { writeScenes } from './scenes/write.ts';

/** Everything that the port promises, the same for every provider, by the promise's words. */
export const SCENES = {
  ...pullScenes,
  ...readScenes,
  ...writeScenes,
  ...fieldScenes,
  ...groupScenes,
  ...mergeScenes,
  ...troubleScenes,
};
export type SceneName = keyof typeof SCENES;
export const SCENE_NAMES = Object.keys(SCENES) as readonly SceneName[];
