import { expect, test } from 'vitest';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';
import { fillFromFirstEdition } from '../../support/store/first-edition-remotes.ts';
import { firstEditionFile } from '../../support/store/first-edition.ts';

const LINK = 'default';
const RECORDED_MS = Date.parse('2026-11-22T08:00:00Z');
const MINUTE_MS = 60_000;
const NONE = { created: 0, updated: 0, deleted: 0, groupsDeleted: 0 };

test('R1: the first run on a 0.1.0 database writes only what was waiting, and the run after that writes nothing', async () => {
  using file = firstEditionFile();
  const store = openStore(file.path);
  await using world = await startLinkedSandbox({ google: [], service: [] }, {}, { store });
  const { clock, sandbox } = world;
  clock.advance(RECORDED_MS - clock.now());
  const halves = await store.halves(LINK, { by: 'all' });
  const open = await store.journal(LINK, { open: true });
  fillFromFirstEdition(sandbox, await store.link(LINK), halves);
  expect(sandbox.google.account.people()).toHaveLength(330);
  expect(sandbox.service.account.contacts()).toHaveLength(332);

  const first = await world.sync({ afterMs: MINUTE_MS });
  expect(first.error).toBeNull();
  expect(first.summary).toMatchObject({
    left: { ...NONE, updated: 15, deleted: 2 },
    right: { ...NONE, updated: 1, deleted: 3 },
  });
  expect(await store.journal(LINK, { open: true })).toEqual([]);
  const waiting = new Set([
    ...halves.filter(({ state }) => state !== 'settled').map(({ pair }) => pair),
    ...open.map(({ pairId }) => pairId),
  ]);
  const pairOf = new Map(halves.map(({ id, pair }) => [id, pair]));
  const entries = await store.journal(LINK, { run: first.summary.run });
  const written = entries.map(({ leftId, rightId }) => pairOf.get(leftId ?? rightId ?? '') ?? null);
  expect(written).toHaveLength(21);
  expect(written.filter((pair) => pair === null || !waiting.has(pair))).toEqual([]);

  const second = await world.sync({ afterMs: 10 * MINUTE_MS });
  expect(second.error).toBeNull();
  expect(second.summary).toMatchObject({ left: NONE, right: NONE });
  expect(await store.journal(LINK, { run: second.summary.run })).toEqual([]);
});
