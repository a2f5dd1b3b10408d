import type { LinkStateName } from '../../core/state/rows.ts';
import { readHeartbeat, type Heartbeat } from '../../app/heartbeat.ts';
import type { LinkConfig, Config } from '../../app/config/config.ts';
import type { Store } from '../../store/store.ts';
import { shownLinkState } from '../../core/state/link.ts';
import { refusalsIn } from '../../core/state/unsyncable.ts';
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The daemon writes its heartbeat every ten seconds. */
const STALE_AFTER_MS = 60_000;
const INTERVALS = 3;

export type LinkHealth = {
  readonly link: string;
  readonly state: LinkStateName;
  /** Whether a person has paused it, so that no run is due. */
  readonly isPausedByHand: boolean;
  readonly syncIntervalMs: number;
  readonly lastSuccessAtMs: number | null;
};

/** Whether no run is due before a person has done something. */
export const waitsForPerson = ({ state, isPausedByHand }: Pick<LinkHealth, 'state' | 'isPausedByHand'>): boolean =>
  isPausedByHand || state === 'paused' || state === 'halted';

export type Health = { readonly ok: boolean; readonly line: string };

/** The verdict where something keeps the daemon from being judged; the error says what. */
export const unhealthyBecause = (error: unknown): Health => {
  const message = error instanceof Error ? error.message : String(error);
  return { ok: false, line: `unhealthy: ${message.replaceAll(/\s+/gu, ' ')}` };
};

const secondsSince = (atMs: number, nowMs: number): string => `${Math.round((nowMs - atMs) / 1000)} s ago`;

/** The links without a completed run within three intervals, counted from when the daemon took each up at the earliest. */
const lateOf = (beat: Heartbeat, links: readonly LinkHealth[], nowMs: number): readonly LinkHealth[] => {
  const served = new Map(beat.links.map((link) => [link.name, link]));
  return links.filter((each) => {
    const { link, syncIntervalMs, lastSuccessAtMs } = each;
    if (waitsForPerson(each) || beat.running.includes(link)) return false;
    const { syncIntervalMs: servedMs = 0, sinceMs = 0 } = served.get(link) ?? {};
    // A link that shares a busy rate limit is run more seldom than it is configured to be; the daemon says how seldom.
    const longestMs = INTERVALS * Math.max(syncIntervalMs, servedMs);
    return nowMs - Math.max(lastSuccessAtMs ?? 0, beat.startedAtMs, sinceMs) > longestMs;
  });
};

/** The verdict on a daemon that does its work, with what is to be said of its links. */
const healthy = (links: readonly LinkHealth[], notTaken: readonly LinkHealth[]): Health => {
  const namesOf = (named: readonly LinkHealth[]): string => named.map(({ link }) => link).join(', ');
  const byHand = links.filter(({ isPausedByHand }) => isPausedByHand);
  const paused = byHand.length === 0 ? '' : `; paused by hand: ${namesOf(byHand)}`;
  const others = notTaken.length === 0 ? '' : `; not loaded by the daemon yet: ${namesOf(notTaken)}`;
  const all = `${links.length} ${links.length === 1 ? 'link' : 'links'}`;
  const waiting = links.filter(({ state }) => state === 'paused' || state === 'halted');
  if (waiting.length === 0) return { ok: true, line: `healthy: ${all}${paused}${others}` };
  const names = waiting.map(({ link, state }) => `${link} is ${state}`).join(', ');
  const inSync = `${links.length - waiting.length} of ${all} in sync`;
  return { ok: true, line: `healthy: ${inSync}; ${names}: see contact-sync status${paused}${others}` };
};

/**
 * Whether the daemon does its work: its scheduler is alive, and every link that it works with had a completed run within
 * three intervals, counted from when it took the link up at the earliest. A run under way counts as one that completed, as
 * long as it gets on. A link that waits for a person (paused by hand, or paused, halted) is no fault of the daemon and
 * nothing that a restart repairs: the line names it, and one that the daemon has not taken up yet.
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
  const taken = links.filter(({ link }) => served.has(link));
  const late = lateOf(beat, taken, nowMs);
  if (late.length > 0) {
    const names = late.map(({ link }) => link).join(', ');
    return { ok: false, line: `unhealthy: no completed run within ${INTERVALS} intervals: ${names}` };
  }
  return healthy(
    taken,
    links.filter(({ link }) => !served.has(link)),
  );
};

/** How a link stands, as the store has it. */
export type LinkStanding = LinkHealth & {
  /** Writes that a side refused, and that wait for their next attempt. */
  readonly refused: number;
};

/** How a link stands now. */
export const standingOf = async (
  store: Store,
  { name, syncIntervalMs }: Pick<LinkConfig, 'name' | 'syncIntervalMs'>,
): Promise<LinkStanding> => {
  // Opening a link writes to the store, which is how one knows that it can be written.
  const { state, rejections, pausedByHandAtMs } = await store.link(name);
  const [lastSuccess] = await store.runs(name, { latest: 'completed' });
  const lastSuccessAtMs = lastSuccess?.endedAtMs ?? null;
  return {
    link: name,
    state: shownLinkState(state),
    isPausedByHand: pausedByHandAtMs !== null,
    syncIntervalMs,
    lastSuccessAtMs,
    refused: refusalsIn(rejections).length,
  };
};

/** What the daemon on this machine is judged by. */
export type HealthSubject = {
  readonly config: Pick<Config, 'dataDir' | 'redisUrl'>;
  readonly links: readonly Pick<LinkConfig, 'name' | 'syncIntervalMs'>[];
  readonly store: Store;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** Whether the daemon judges itself. */
  readonly isDaemon: boolean;
};

/** As large as the files of a daemon with many links. */
const PROBE_BYTES = 64 * 1024;

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
/** The command `health` may run as another user, or on a read-only mount. Then these codes say nothing about the daemon. */
const NOT_ALLOWED: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Writes a file to DATA_DIR and removes it. Throws if the disk is full or cannot be written. */
const probeDisk = async (dataDir: string, isDaemon: boolean): Promise<void> => {
  const path = join(dataDir, `health-${randomUUID()}`);
  try {
    await writeFile(path, Buffer.alloc(PROBE_BYTES), { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
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
 * Looks whether the daemon on this machine does its work.
 *
 * @throws what keeps it from doing so: the disk is full, the store cannot be used, or Redis does not answer.
 */
export const checkHealth = async ({ config, links, store, nowMs, isDaemon }: HealthSubject): Promise<Health> => {
  const beat = await readHeartbeat(config.dataDir);
  // Without a heartbeat there may be no directory either. A daemon on a full disk cannot write one.
  if (beat !== null) await probeDisk(config.dataDir, isDaemon);
  const standings: LinkStanding[] = [];
  for (const link of links) standings.push(await standingOf(store, link));
  const health = judgeHealth(beat, standings, nowMs);
  if (health.ok && config.redisUrl !== null) await (await import('./queue.ts')).pingQueue(config.redisUrl);
  return health;
};
