import type { LinkStateName } from '../../core/state/rows.ts';
import { readHeartbeat, type Heartbeat } from '../../app/heartbeat.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import type { Store } from '../../store/store.ts';
import { shownLinkState } from '../../core/state/link.ts';
import { refusalsIn } from '../../core/state/unsyncable.ts';
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, errorMessage } from '../../util/errors.ts';

/** Six intervals of the heartbeat. */
const STALE_AFTER_MS = 60_000;
const INTERVALS = 3;

export type LinkHealth = {
  readonly link: string;
  readonly state: LinkStateName;
  /** Whether the link is paused by hand, so that no run is due. */
  readonly isPausedByHand: boolean;
  readonly syncIntervalMs: number;
  readonly lastSuccessAtMs: number | null;
  /** The end of the last run; null if no run has ended. */
  readonly lastEndedAtMs: number | null;
  /** Writes that a side refused and that are retried later. */
  readonly refused: number;
};

/** The clock of another host may be ahead by this. */
const MOST_AHEAD_MS = 60_000;

/**
 * Returns the time of the last completed run; null if there was none. A time far ahead of the clock was taken before the clock was set
 * back, and shows nothing about the time since.
 */
export const provenSuccessAtMs = (
  { lastSuccessAtMs }: Pick<LinkHealth, 'lastSuccessAtMs'>,
  nowMs: number,
): number | null => (lastSuccessAtMs !== null && lastSuccessAtMs > nowMs + MOST_AHEAD_MS ? null : lastSuccessAtMs);

/** Whether a run has paused or halted the link, so that no run is due until a user acts. */
const isStopped = ({ state }: LinkHealth): boolean => state === 'paused' || state === 'halted';

/** Whether the daemon runs the link. The heartbeat is some seconds old, and may contain a run that has ended since. */
const isRunning = ({ progress, beatAtMs }: Heartbeat, health: LinkHealth): boolean =>
  progress.some(({ link }) => link === health.link) && beatAtMs >= (health.lastEndedAtMs ?? 0);

export type Health = { readonly ok: boolean; readonly line: string };

/** The result if the check itself failed with this error. */
export const unhealthyBecause = (error: unknown): Health => {
  const message = errorMessage(error);
  return { ok: false, line: `unhealthy: ${message.replaceAll(/\s+/gu, ' ')}` };
};

const secondsSince = (atMs: number, nowMs: number): string => `${Math.round((nowMs - atMs) / 1000)} s ago`;

/** The links without a completed run within three intervals, counted from the time when the daemon loaded the link. */
const lateOf = (beat: Heartbeat, links: readonly LinkHealth[], nowMs: number): readonly LinkHealth[] => {
  const served = new Map(beat.links.map((link) => [link.name, link]));
  return links.filter((each) => {
    const { link, syncIntervalMs } = each;
    if (each.isPausedByHand || isStopped(each) || isRunning(beat, each)) return false;
    const { syncIntervalMs: servedMs = 0, sinceMs = 0 } = served.get(link) ?? {};
    // The daemon keeps the earlier interval until it is reloaded.
    const longestMs = INTERVALS * Math.max(syncIntervalMs, servedMs);
    return nowMs - Math.max(provenSuccessAtMs(each, nowMs) ?? 0, sinceMs) > longestMs;
  });
};

/** The result for a daemon that works. It is called healthy only if no link waits for a user. */
const healthy = (beat: Heartbeat, links: readonly LinkHealth[], notLoaded: readonly LinkHealth[]): Health => {
  const namesOf = (named: readonly LinkHealth[]): string => named.map(({ link }) => link).join(', ');
  const byHand = links.filter(({ isPausedByHand }) => isPausedByHand);
  const paused = byHand.length === 0 ? '' : `; paused by hand: ${namesOf(byHand)}`;
  const loading = notLoaded.length === 0 ? '' : `; not loaded by the daemon yet: ${namesOf(notLoaded)}`;
  const total = links.length + beat.faulty.length;
  const all = `${total} ${total === 1 ? 'link' : 'links'}`;
  const waiting = [
    ...links
      .filter((each) => isStopped(each) && !isRunning(beat, each))
      .map(({ link, state }) => `${link} is ${state}`),
    ...beat.faulty.map((link) => `${link} is not served, because its settings are invalid`),
  ];
  if (waiting.length === 0) return { ok: true, line: `healthy: ${all}${paused}${loading}` };
  const wait = waiting.length === 1 ? 'waits' : 'wait';
  const line = `the daemon works, but ${waiting.length} of ${all} ${wait} for you: ${waiting.join(', ')}; see contact-sync status`;
  return { ok: true, line: `${line}${paused}${loading}` };
};

/**
 * Decides whether the daemon is healthy: its scheduler is alive, and each loaded link had a completed run within three
 * intervals, counted from the time when the link was loaded. A current run counts as completed while it makes progress. A
 * link that waits for a user (paused or halted) does not make the daemon unhealthy, because a restart does not help. The
 * line lists such links, and links that the daemon has not loaded yet.
 */
export const judgeHealth = (beat: Heartbeat | null, links: readonly LinkHealth[], nowMs: number): Health => {
  if (beat === null) return { ok: false, line: 'unhealthy: no daemon runs here' };
  if (nowMs - beat.beatAtMs > STALE_AFTER_MS) {
    return { ok: false, line: `unhealthy: the daemon was last alive ${secondsSince(beat.beatAtMs, nowMs)}` };
  }
  const { waiting: queue } = beat;
  if (queue !== null && (queue.wellAtMs === null || nowMs - queue.wellAtMs > STALE_AFTER_MS)) {
    return { ok: false, line: `unhealthy: the daemon waits for its job queue: ${queue.reason}` };
  }
  if (beat.stalled.length > 0) {
    return { ok: false, line: `unhealthy: a run has made no progress for long: ${beat.stalled.join(', ')}` };
  }
  const served = new Set(beat.links.map(({ name }) => name));
  const loaded = links.filter(({ link }) => served.has(link));
  const late = lateOf(beat, loaded, nowMs);
  if (late.length > 0) {
    const names = late.map(({ link }) => link).join(', ');
    return { ok: false, line: `unhealthy: no completed run within ${INTERVALS} intervals: ${names}` };
  }
  return healthy(
    beat,
    loaded,
    links.filter(({ link }) => !served.has(link)),
  );
};

/** Reads the health of a link from the store. */
export const readLinkHealth = async (
  store: Store,
  { name, syncIntervalMs }: Pick<LinkConfig, 'name' | 'syncIntervalMs'>,
): Promise<LinkHealth> => {
  // `link` writes a row for a new link, so it fails if the store is not writable.
  const { state, rejections, pausedByHandAtMs } = await store.link(name);
  const [lastSuccess] = await store.runs(name, { latest: 'completed' });
  const [lastRun] = await store.runs(name, { latest: 'ended' });
  return {
    link: name,
    state: shownLinkState(state),
    isPausedByHand: pausedByHandAtMs !== null,
    syncIntervalMs,
    lastSuccessAtMs: lastSuccess?.endedAtMs ?? null,
    lastEndedAtMs: lastRun?.endedAtMs ?? null,
    refused: refusalsIn(rejections).length,
  };
};

/** The input of {@link checkHealth}. */
type HealthSubject = {
  readonly dataDir: string;
  readonly links: readonly Pick<LinkConfig, 'name' | 'syncIntervalMs'>[];
  readonly store: Store;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** Whether the daemon itself makes the check. */
  readonly isDaemon: boolean;
};

/** The size of the test file, like the state files of a daemon with many links. */
const PROBE_BYTES = 64 * 1024;

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
/** The command `health` may run as another user or on a read-only mount. These codes then do not concern the daemon. */
const NOT_ALLOWED: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Writes a file to DATA_DIR and removes it. Throws if the disk is full or cannot be written. */
const probeDisk = async (dataDir: string, isDaemon: boolean): Promise<void> => {
  const path = join(dataDir, `health-${randomUUID()}`);
  try {
    await writeFile(path, Buffer.alloc(PROBE_BYTES), { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    const code = errorCode(cause) ?? 'unknown error';
    if (!isDaemon && NOT_ALLOWED.has(code)) return;
    const what = FULL.has(code)
      ? `the disk is full (${code}). Free some space there`
      : `it cannot be written (${code})`;
    throw new Error(`DATA_DIR ${dataDir} cannot be used: ${what}.`, { cause });
  } finally {
    await rm(path, { force: true });
  }
};

/**
 * Checks whether the daemon on this machine is healthy.
 *
 * @throws an error if the disk is full or the store cannot be used.
 */
export const checkHealth = async ({ dataDir, links, store, nowMs, isDaemon }: HealthSubject): Promise<Health> => {
  const beat = await readHeartbeat(dataDir);
  // Without a heartbeat the directory may not exist. A daemon on a full disk cannot write a heartbeat.
  if (beat !== null) await probeDisk(dataDir, isDaemon);
  const states: LinkHealth[] = [];
  for (const link of links) states.push(await readLinkHealth(store, link));
  return judgeHealth(beat, states, nowMs);
};
