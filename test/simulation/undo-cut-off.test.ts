import { describe, expect, test } from 'vitest';
import { EMPTY_CONTACT } from '../../src/core/contact/contact.ts';
import { undoRun } from '../../src/engine/history/undo.ts';
import { runLink } from '../../src/engine/run.ts';
import type { ProcessPlan } from '../support/memory/process.ts';
import { contextOf, QUIET } from './run-history.ts';
import { history, HOUR_MS, TWO_SERVICES } from './scenario.ts';
import { createWorld, liveRows } from './world.ts';

const OPTIONS = { onEvent: () => {}, signal: new AbortController().signal, accepts: { kind: 'losses' } } as const;
const CRASHES = Array.from({ length: 14 }, (_, at) => at + 1).flatMap((step) =>
  (['before', 'after'] as const).map((when) => ({ step, when })),
);

const open = () => {
  const played = history([], { players: TWO_SERVICES, keepsAll: true });
  const world = createWorld(played, {});
  const started = (plan: ProcessPlan = QUIET) => {
    world.clock.advance(HOUR_MS);
    return contextOf({ history: played, world, flaws: {} }, plan);
  };
  return {
    ...world.books,
    world,
    sync: async (): Promise<string> => {
      const { error, summary } = await runLink(started().context, { ...OPTIONS, kind: 'full' });
      expect(error).toBeNull();
      return summary.run;
    },
    /** Undoes a run. The result is null if the process dies. */
    undo: async (id: string, plan?: ProcessPlan) => {
      const { context, process } = started(plan);
      const [run] = await context.store.runs(world.link, { idPrefix: id });
      if (run === undefined) throw new Error('There is no such run.');
      try {
        return (await undoRun(context, OPTIONS, run)).report;
      } catch (error) {
        if (!process.isDead()) throw error;
        return null;
      }
    },
  };
};

describe.each(CRASHES)('R9: an undo that died $when step $step and is repeated', (crash) => {
  test('restores the contact in its group', async () => {
    const { left, right, sync, undo, world } = open();
    const group = left.addGroup('Choir', world.nextNumber());
    const ann = left.add({ contact: { ...EMPTY_CONTACT, firstName: 'Ann' }, extra: null, originId: null, entity: 1 });
    left.setGroups(ann, [group.id]);
    await sync();
    for (const row of liveRows(right)) right.remove(row, 'deleted');
    const run = await sync();
    expect(liveRows(left)).toEqual([]);
    await undo(run, { ...QUIET, crash });
    expect((await undo(run))?.refused).toEqual([]);
    expect(liveRows(left).map(({ groupIds }) => [...groupIds])).toEqual([[group.id]]);
  });

  test('restores the email address that another contact has, too', async () => {
    const { left, right, sync, undo } = open();
    const emailAddresses = [{ value: 'home@example.com', label: null }];
    for (const [entity, firstName] of ['Ann', 'Bob'].entries()) {
      const contact = { ...EMPTY_CONTACT, firstName, lastName: 'Lee', emailAddresses };
      left.add({ contact, extra: null, originId: null, entity: entity + 1 });
    }
    await sync();
    for (const row of liveRows(right)) if (row.contact.firstName === 'Bob') right.remove(row, 'deleted');
    const run = await sync();
    await undo(run, { ...QUIET, crash });
    expect((await undo(run))?.refused).toEqual([]);
    const found = liveRows(left).find(({ contact }) => contact.firstName === 'Bob');
    expect(found?.contact.emailAddresses.map(({ value }) => value)).toEqual(['home@example.com']);
  });
});
