import type { LinkStateName } from '../store/store.ts';
import type { Heartbeat } from './heartbeat.ts';

/** The daemon writes its heartbeat every ten seconds. */
const STALE_AFTER_MS = 60_000;
const INTERVALS = 3;

export type LinkHealth = {
  readonly link: string;
  readonly state: LinkStateName;
  readonly syncIntervalMs: number;
  readonly lastSuccessAtMs: number | null;
};

export type Health = { readonly ok: boolean; readonly line: string };

/** The verdict where something keeps the daemon from being judged; the error says what. */
export const unhealthyBecause = (error: unknown): Health => {
  const message = error instanceof Error ? error.message : String(error);
  return { ok: false, line: `unhealthy: ${message.replaceAll(/\s+/gu, ' ')}` };
};

const secondsSince = (atMs: number, nowMs: number): string => `${Math.round((nowMs - atMs) / 1000)} s ago`;

/**
 * Whether the daemon does its work: its scheduler is alive, and every link had a completed run within three intervals,
 * counted from the daemon's start at the earliest. A run under way counts as one that completed, as long as it gets on. A link that waits for a
 * person (paused, halted) is no fault of the daemon and nothing that a restart repairs: the line names it.
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
  const late = links.filter(({ link, state, syncIntervalMs, lastSuccessAtMs }) => {
    if (state === 'paused' || state === 'halted' || beat.running.includes(link)) return false;
    return nowMs - Math.max(lastSuccessAtMs ?? 0, beat.startedAtMs) > INTERVALS * syncIntervalMs;
  });
  if (late.length > 0) {
    const names = late.map(({ link }) => link).join(', ');
    return { ok: false, line: `unhealthy: no completed run within ${INTERVALS} intervals: ${names}` };
  }
  const waiting = links.filter(({ state }) => state === 'paused' || state === 'halted');
  const all = `${links.length} ${links.length === 1 ? 'link' : 'links'}`;
  if (waiting.length === 0) return { ok: true, line: `healthy: ${all}` };
  const names = waiting.map(({ link, state }) => `${link} is ${state}`).join(', ');
  const inStep = links.length - waiting.length;
  return { ok: true, line: `healthy: ${inStep} of ${all} in step; ${names}: see contact-sync status` };
};
