import { expect, test } from 'vitest';
import type { App } from '../../../src/app/app.ts';
import type { LinkConfig } from '../../../src/config/config.ts';
import { Secret } from '../../../src/config/secret.ts';
import { createDesk, type UndoTarget } from '../../../src/console/desk.ts';
import type { JobReport } from '../../../src/jobs/job.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

/** A hosted link as the configuration has it; each look at the database makes another one. */
const linkOf = (token: string): LinkConfig => ({ name: 'ada', consoleToken: new Secret(token) }) as LinkConfig;
const yielded = () => new Promise(setImmediate);

test('what was done for a link is not shown of another one that was added under its name', async () => {
  const failing = () => Promise.reject(new Error('Mia Smith stands there twice.'));
  const app = { plan: failing, planUndo: failing } as unknown as App;
  let link = linkOf('of the first');
  const daemon = { order: () => Promise.resolve(), progress: () => [], links: () => [link] };
  const desk = createDesk({ app, daemon, clock: createVirtualClock() });
  desk.plan(link);
  desk.preview(link, { run: { id: 'run' }, write: null } as UndoTarget);
  desk.noteReport({ link: 'ada', kind: 'incremental', override: null }, { ending: 'failed' } as JobReport);
  await yielded();
  const shown = () => [desk.planning(link, []), desk.undoing(link), desk.lastReport(link)];
  link = linkOf('of the first');
  expect(shown()).toMatchObject([{ state: 'failed' }, { state: 'failed' }, { ending: 'failed' }]);
  link = linkOf('of somebody else');
  expect(shown()).toEqual([null, null, null]);
  await desk.close();
});

test('an accepted plan is shown until a second run has ended, so that it never answers for a later halt', async () => {
  const plan = { decisions: [], groups: { actions: [], pairs: [], links: [] }, ambiguous: [] };
  const estimate = { requests: { left: 0, right: 0 }, durationMs: 0 };
  const app = {
    plan: () => Promise.resolve({ kind: 'incremental', plan, halt: null, estimate }),
    store: {
      runs: () =>
        Promise.resolve([
          { id: 'running', endedAtMs: null },
          { id: 'before', endedAtMs: 1 },
        ]),
    },
  } as unknown as App;
  const link = linkOf('a token');
  const daemon = { order: () => Promise.resolve(), progress: () => [], links: () => [link] };
  const desk = createDesk({ app, daemon, clock: createVirtualClock() });
  desk.plan(link);
  await yielded();
  const planning = desk.planning(link, []);
  desk.accept(link, planning?.state === 'planned' ? planning.view.digest : '');
  await yielded();
  expect(desk.planning(link, ['before'])).toMatchObject({ state: 'accepted', ranAs: null });
  expect(desk.planning(link, ['after', 'before'])).toMatchObject({ state: 'accepted', ranAs: 'after' });
  expect(desk.planning(link, ['halted', 'after', 'before'])).toBeNull();
  await desk.close();
});
