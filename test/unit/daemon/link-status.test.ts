import { expect, test } from 'vitest';
import type { LinkConfig } from '../../../src/app/config/link-config.ts';
import { writeHeartbeat } from '../../../src/app/heartbeat.ts';
import { readLinkStatuses } from '../../../src/daemon/links/link-status.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { useDirectory } from '../util/use-directory.ts';

const directory = useDirectory();
const BEAT_AT_MS = 1_000_000;
const PROGRESS = { link: 'work', listed: 7, planned: null, written: 0, remainingMs: null };
const SIDE = { namesDeletions: true };
const LINK = { name: 'work', sides: { left: SIDE, right: SIDE } } as unknown as LinkConfig;

test.each([
  ['before it', BEAT_AT_MS - 1, PROGRESS],
  ['after it', BEAT_AT_MS + 1, null],
])('the progress in a heartbeat is outdated if the last run ended after it: %s', async (_, endedAtMs, underWay) => {
  const store = openStore(':memory:');
  const token = (await store.acquireLease('work', 'test', 0, 1_000)) ?? 0;
  await store.commit('work', token, [
    { kind: 'run-started', run: { id: 'run', kind: 'full', undoes: null, startedAtMs: 1 } },
    { kind: 'patch-run', id: 'run', set: { outcome: 'completed', reason: null, summary: {}, endedAtMs } },
  ]);
  await writeHeartbeat(directory(), {
    queue: 'embedded',
    startedAtMs: 0,
    beatAtMs: BEAT_AT_MS,
    waiting: null,
    links: [],
    running: ['work'],
    progress: [PROGRESS],
    stalled: [],
    pid: 1,
    process: null,
  });
  const budget = () => Promise.resolve({ left: null, right: null });
  const app = { store, budget, config: { dataDir: directory() } } as unknown as Parameters<typeof readLinkStatuses>[0];
  const [status] = await readLinkStatuses(app, [LINK], BEAT_AT_MS + 2);
  expect(status?.underWay).toEqual(underWay);
  await store.close();
});
