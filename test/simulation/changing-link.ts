import { textIn } from '../../src/core/contact/contact.ts';
import { SIDES, type Side } from '../../src/core/contact/side.ts';
import { decideConflicts } from '../../src/engine/history/conflicts.ts';
import type { LinkContext } from '../../src/engine/session.ts';
import type { History } from './history.ts';
import { hardness } from './scenario.ts';
import { openWorld, type Process } from './single-world.ts';
import { liveRows } from './world.ts';

export type Terms = Partial<LinkContext['policy']>;

/** A link whose configuration may differ in each run. */
export const openChangingLink = (changes: Partial<History> = {}) => {
  const { world, sync, within } = openWorld({ hardness: hardness(), ...changes });
  const under = (terms: Terms, { change = () => ({}), ...process }: Process = {}): Process => ({
    ...process,
    change: (context) => ({ policy: { ...context.policy, ...terms }, ...change(context) }),
  });
  return {
    world,
    sync: (terms: Terms = {}, process: Process = {}) => sync({}, under(terms, process)),
    /** A user takes the value of a side in each conflict that has not ended. */
    take: (terms: Terms, from: Side) =>
      within(async (context) => {
        const ids = (await world.store.conflicts(world.link, { all: false })).map(({ id }) => id);
        await decideConflicts(context, { name: world.link, ...context.policy }, ids, from);
      }, under(terms)),
    titles: () =>
      SIDES.map((side) =>
        liveRows(world.books[side])
          .map(({ contact }) => textIn(contact, 'title'))
          .join(),
      ),
    /** The reasons of what `status` lists as not written or not equal. */
    skipped: async () => (await world.store.link(world.link)).rejections.map(({ reason }) => reason),
  };
};
