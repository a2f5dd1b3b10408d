import { readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import {
  progressOf,
  readHeartbeat,
  readLiveHeartbeat,
  readLiveHeartbeats,
  removeHeartbeat,
  writeHeartbeat,
} from '../../../src/app/heartbeat.ts';
import { beatOf } from '../../support/heartbeat.ts';
import { useDirectory } from '../util/use-directory.ts';

const dataDir = useDirectory();
const BEAT_AT_MS = 1_000_000;
const PROGRESS = { link: 'a', listed: 7, planned: 100, written: 40, remainingMs: 12_000 };
const beat = beatOf({
  beatAtMs: BEAT_AT_MS,
  links: [{ name: 'a', syncIntervalMs: 60_000, sinceMs: 0 }],
  progress: [PROGRESS],
});

const progressAt = async (nowMs: number) => progressOf(await readLiveHeartbeats(dataDir(), nowMs), nowMs);

test('another process reads the progress of a run, less the elapsed time, and ignores an old heartbeat', async () => {
  expect(await progressAt(BEAT_AT_MS)).toEqual([]);
  await writeHeartbeat(dataDir(), beat);
  expect(await progressAt(BEAT_AT_MS + 4_000)).toEqual([{ ...PROGRESS, remainingMs: 8_000 }]);
  expect(await progressAt(BEAT_AT_MS + 20_000)).toEqual([{ ...PROGRESS, remainingMs: 0 }]);
  expect(await readLiveHeartbeat(dataDir(), BEAT_AT_MS + 30_000)).toEqual(beat);
  expect(await readLiveHeartbeat(dataDir(), BEAT_AT_MS + 30_001)).toBeNull();
  expect(await progressAt(BEAT_AT_MS + 30_001)).toEqual([]);
});

test.each(['', '{"queue":', 'null'])('a truncated heartbeat (%j) is ignored', async (text) => {
  await writeFile(dataDir(`heartbeat-${hostname()}.json`), text);
  expect(await readHeartbeat(dataDir())).toBeNull();
  expect(await progressAt(BEAT_AT_MS)).toEqual([]);
  await removeHeartbeat(dataDir());
  expect(await readdir(dataDir())).toEqual([]);
});
