import type { Parts } from './links.ts';
import { SIDES } from '../core/contact/side.ts';

/** Lets go of what was opened for any link but these, and of the gates that only those passed. */
export const keepLinks = async (
  { contexts, ways, gates }: Pick<Parts, 'contexts' | 'ways' | 'gates'>,
  links: ReadonlySet<string>,
): Promise<void> => {
  for (const opened of [contexts, ways]) {
    for (const name of opened.keys()) if (!links.has(name)) opened.delete(name);
  }
  const needed = new Set([...ways.values()].flatMap((sides) => SIDES.flatMap((side) => [...sides[side].gates.keys()])));
  await gates.keep((name) => needed.has(name));
};
