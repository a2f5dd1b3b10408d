import { fieldScenes } from './scenes/fields.ts';
import { groupScenes } from './scenes/groups.ts';
import { mergeScenes } from './scenes/merge.ts';
import { pullScenes } from './scenes/pull.ts';
import { readScenes } from './scenes/read.ts';
import { troubleScenes } from './scenes/troubles.ts';
import { writeScenes } from './scenes/write.ts';

/** The rules of the port, the same for every provider. The key of a scene is its rule. */
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
