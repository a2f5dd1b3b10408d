import type { LinkStateName } from '../store/store.ts';
import type { Heartbeat } from './heartbeat.ts';

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

/**
 * Whether the daemon does its work: its scheduler is alive, and every link had a completed run within three intervals,
 * counted from the daemon's start at the earliest. A run under way counts as one that completed, as long as it gets on. A
 * link that waits for a person (paused by hand, or paused, halted) is no fault of the daemon and nothing that a restart
 * repairs: the line names it.
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
  // A link that shares a busy rate limit is run more seldom than it is configured to be; the daemon says how seldom.
  const servedMs = new Map(beat.links.map((link) => [link.name, link.syncIntervalMs]));
  const late = links.filter((each) => {
    const { link, syncIntervalMs, lastSuccessAtMs } = each;
    if (waitsForPerson(each) || beat.running.includes(link)) return false;
    return (
      nowMs - Math.max(lastSuccessAtMs ?? 0, beat.startedAtMs) >
      INTERVALS * Math.max(syncIntervalMs, servedMs.get(link) ?? 0)
    );
  });
  if (late.length > 0) {
    const names = late.map(({ link }) => link).join(', ');
    return { ok: false, line: `unhealthy: no completed run within ${INTERVALS} intervals: ${names}` };
  }
  const waiting = links.filter(({ state }) => state === 'paused' || state === 'halted');
  const all = `${links.length} ${links.length === 1 ? 'link' : 'links'}`;
  const left = links.filter(({ isPausedByHand }) => isPausedByHand).map(({ link }) => link);
  const paused = left.length === 0 ? '' : `; paused by hand: ${left.join(', ')}`;
  if (waiting.length === 0) return { ok: true, line: `healthy: ${all}${paused}` };
  const names = waiting.map(({ link, state }) => `${link} is ${state}`).join(', ');
  const inStep = links.length - waiting.length;
  return { ok: true, line: `healthy: ${inStep} of ${all} in step; ${names}: see contact-sync status${paused}` };
};
