import type { LinkStateName } from '../../core/state/rows.ts';
import type { Heartbeat } from '../../app/heartbeat.ts';

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
