import { expect } from 'vitest';
import { textIn } from '../../src/core/contact/contact.ts';
import { SIDES, type Side } from '../../src/core/contact/side.ts';
import { decideConflicts } from '../../src/engine/history/conflicts.ts';
import { runLink } from '../../src/engine/run.ts';
import type { LinkContext } from '../../src/engine/session.ts';
import type { ProcessPlan } from '../support/memory/process.ts';
import { DEFAULT_PLAYERS, type History } from './history.ts';
import { contextOf, QUIET } from './run-history.ts';
import { hardness, history, HOUR_MS } from './scenario.ts';
import { createWorld, liveRows } from './world.ts';

export type Terms = Partial<LinkContext['policy']>;

type Run = {
  readonly plan?: Partial<ProcessPlan>;
  readonly change?: (context: LinkContext) => Partial<LinkContext>;
};

/** A link whose configuration may differ in each run. */
export const openChangingLink = (changes: Partial<History> = {}) => {
  const played = history([], { players: DEFAULT_PLAYERS, hardness: hardness(), keepsAll: true, ...changes });
  const world = createWorld(played, {});
  const start = (terms: Terms, { plan = {}, change = () => ({}) }: Run = {}): LinkContext => {
    world.clock.advance(HOUR_MS);
    const { context } = contextOf({ history: played, world, flaws: {} }, { ...QUIET, ...plan });
    return { ...context, policy: { ...context.policy, ...terms }, ...change(context) };
  };
  return {
    world,
    sync: async (terms: Terms = {}, given: Run = {}) => {
      const asked = { kind: 'incremental', onEvent: () => {}, signal: new AbortController().signal } as const;
      const { error, summary } = await runLink(start(terms, given), asked);
      expect(error).toBeNull();
      return summary;
    },
    /** A user takes the value of a side in each conflict that has not ended. */
    take: async (terms: Terms, from: Side) => {
      const context = start(terms);
      const ids = (await world.store.conflicts(world.link, { all: false })).map(({ id }) => id);
      await decideConflicts(context, { link: world.link, terms: context.policy }, ids, from);
    },
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
