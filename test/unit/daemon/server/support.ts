import type { LinkConfig } from '../../../../src/app/config/link-config.ts';
import type { LinkHealth } from '../../../../src/daemon/server/health.ts';
import type { RunSummary } from '../../../../src/engine/run.ts';
import type { JobReport } from '../../../../src/daemon/jobs/job.ts';
import { createMetrics, type Metrics, type MetricsInput } from '../../../../src/daemon/server/metrics.ts';
import { summaryOf } from '../../../support/run-words.ts';
import { SIDE_WORDS } from '../../../support/side-words.ts';

export const MINUTE_MS = 60_000;
export const NOW_MS = 100 * MINUTE_MS;

/** Returns a link with the fields that the metrics read: its name and the names of its sides. */
export const linkNamed = (name: string, sides: object = SIDE_WORDS): LinkConfig =>
  ({ name, sides, syncIntervalMs: MINUTE_MS }) as unknown as LinkConfig;

export const compared = (link: string, change: Partial<LinkHealth> = {}): LinkHealth => {
  const last = { lastSuccessAtMs: NOW_MS - 30_000, lastEndedAtMs: NOW_MS - 30_000 };
  return { link, state: 'active', isPausedByHand: false, ...last, syncIntervalMs: MINUTE_MS, refused: 0, ...change };
};

export const seen = (change: Partial<MetricsInput> = {}): MetricsInput => {
  return { nowMs: NOW_MS, sinceMs: () => 0, states: [], traffic: [], depth: { waiting: 0, active: 0 }, ...change };
};

export const reportOf = (link: string, change: Partial<RunSummary> = {}): JobReport => {
  const summary = summaryOf({ link, durationMs: 2_000, ...change });
  return { ending: 'completed', message: null, nextInMs: null, summary };
};

export const jobOf = (link: string) => ({ link, kind: 'incremental', override: null }) as const;

/** Creates the metrics of a daemon with these links. `use` replaces the links. */
export const metricsOf = (...names: readonly string[]) => {
  let links = names.map((name) => linkNamed(name));
  const metrics: Metrics = createMetrics({ version: '1.2.3', links: () => links });
  return {
    metrics,
    use: (next: readonly LinkConfig[]): void => {
      links = [...next];
    },
  };
};
