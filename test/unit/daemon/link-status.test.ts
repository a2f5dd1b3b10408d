import { expect, test } from 'vitest';
import type { LinkConfig } from '../../../src/app/config/link-config.ts';
import { writeHeartbeat, type Heartbeat } from '../../../src/app/heartbeat.ts';
import { USUAL_PROVIDERS } from '../../../src/providers/names.ts';
import { readLinkStatuses } from '../../../src/daemon/links/link-status.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { beatOf } from '../../support/heartbeat.ts';
import { storeRun } from '../../support/store/rows.ts';
import { useDirectory } from '../util/use-directory.ts';

const directory = useDirectory();
const SECOND_MS = 1_000;
const BEAT_AT_MS = 1_000_000;
const PROGRESS = { link: 'work', listed: 7, planned: null, written: 0, remainingMs: null };
const SIDE = { provider: USUAL_PROVIDERS.left };
const LINK = { name: 'work', sides: { left: SIDE, right: SIDE } } as unknown as LinkConfig;

/** A link after one completed run and a heartbeat of its daemon; returns how to read its status. */
const openStatus = async (link: LinkConfig, run: Parameters<typeof storeRun>[2], beat: Partial<Heartbeat>) => {
  const store = openStore(':memory:');
  await storeRun(store, 'work', run, { lastChangeAtMs: BEAT_AT_MS });
  await writeHeartbeat(directory(), beatOf({ beatAtMs: BEAT_AT_MS, ...beat }));
  const app = { store, config: { dataDir: directory() } } as unknown as Parameters<typeof readLinkStatuses>[0];
  return {
    at: async (nowMs: number) => (await readLinkStatuses(app, [link], nowMs))[0],
    [Symbol.asyncDispose]: () => store.close(),
  };
};

test.each([
  ['before it', BEAT_AT_MS - 1, PROGRESS],
  ['after it', BEAT_AT_MS + 1, null],
])('the progress in a heartbeat is outdated if the last run ended after it: %s', async (_, endedAtMs, underWay) => {
  await using status = await openStatus(LINK, { endedAtMs }, { progress: [PROGRESS] });
  expect((await status.at(BEAT_AT_MS + 2))?.underWay).toEqual(underWay);
});

test('the time of the next run of a link with an automatic interval is fixed by its last run', async () => {
  const polledAtMs = BEAT_AT_MS + 20 * SECOND_MS;
  const syncIntervalMs = 90 * SECOND_MS;
  const link = { ...LINK, hasAutoInterval: true, syncIntervalMs };
  const run = { kind: 'incremental', startedAtMs: polledAtMs } as const;
  const links = [{ name: 'work', syncIntervalMs, sinceMs: 0 }];
  await using status = await openStatus(link, run, { beatAtMs: polledAtMs, links });
  // The next poll is as late after this one as this one was after the change, plus ten seconds.
  const expected = polledAtMs + 30 * SECOND_MS;
  for (const seconds of [1, 25]) {
    expect((await status.at(polledAtMs + seconds * SECOND_MS))?.nextRunAtMs).toBe(expected);
  }
});
