import type { App } from '../app/app.ts';
import { isoOf, systemClock } from '../util/clock.ts';
import { bySide, inWordsOf } from '../core/contact/side.ts';
import { readLinkStatus, type LinkPace, type LinkStatus } from '../daemon/jobs/link-status.ts';
import { readProgress, readServed, type LinkProgress } from '../app/heartbeat.ts';
import { CredentialsError } from '../store/store.ts';
import type { Run } from '../core/view/views.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { formatLeftBehind, formatStatus } from './status-text.ts';
import type { Terminal } from './terminal.ts';
import { withApp, type CommonOptions } from './with-app.ts';

const progressToJson = ({ listed, planned, written, leftMs }: LinkProgress) => ({ listed, planned, written, leftMs });

/** A run that was stopped counts as failed here, and is marked beside it. */
const lastRunToJson = ({ id, kind, outcome, endedAtMs }: Run) => ({
  run: id,
  kind,
  outcome: outcome === 'stopped' ? 'failed' : outcome,
  ...(outcome === 'stopped' && { stopped: true }),
  endedAt: isoOf(endedAtMs),
});

const paceToJson = ({ everyMs, lastChangeAtMs, daysByHour, workingHours }: LinkPace) => ({
  everyMs,
  lastChangeAt: isoOf(lastChangeAtMs),
  daysByHour,
  workingHours,
});

/** As the README documents it, in the words of the link. */
const toJson = (status: LinkStatus): unknown =>
  inWordsOf(status.sides, {
    link: status.link,
    state: status.state,
    reason: status.reason,
    pausedByHandAt: isoOf(status.pausedByHandAtMs),
    pairs: status.pairs,
    openConflicts: status.openConflicts,
    rejected: status.refused.map(({ side, leftId, rightId, reason, name, attempts, retryAtMs }) => {
      return { side, leftId, rightId, reason, name, attempts, retryAt: isoOf(retryAtMs) };
    }),
    skipped: status.skipped,
    unpaired: status.alone,
    setApart: status.setApart,
    unselected: status.unselected,
    lastRun: status.lastRun && lastRunToJson(status.lastRun),
    lastSuccessAt: isoOf(status.lastSuccessAtMs),
    failures: status.failures,
    nextRunAt: isoOf(status.nextRunAtMs),
    sweepAt: bySide((side) => isoOf(status.sweepAtMs[side])),
    ...(status.pace && { pace: paceToJson(status.pace) }),
    ...(status.underWay && { underWay: progressToJson(status.underWay) }),
    cursors: bySide((side) => isoOf(status.readAtMs[side])),
    budget: status.budget,
  });

/** The links of which something is stored although the configuration does not have them. */
const findLeftBehind = async ({ config, store, vault }: App): Promise<readonly string[]> => {
  const configured = new Set([...config.links, ...config.faultyLinks].map(({ name }) => name));
  const tokens = await vault.names().catch((error: unknown) => {
    // A damaged file is reported when a token is read from it.
    if (error instanceof CredentialsError) return [];
    throw error;
  });
  const stored = [...(await store.links()).map(({ name }) => name), ...tokens.map(({ link }) => link)];
  return [...new Set(stored)].filter((name) => !configured.has(name)).toSorted();
};

/** `status [LINK]`: the state of each link, from the store. */
export const status = (terminal: Terminal, linkName: string | undefined, options: CommonOptions): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async ({ app, links }) => {
    const statuses: LinkStatus[] = [];
    const { dataDir } = app.config;
    const nowMs = systemClock.now();
    const service = { underWay: await readProgress(dataDir, nowMs), served: await readServed(dataDir, nowMs) };
    for (const link of links) statuses.push(await readLinkStatus(app, link, service, nowMs));
    const left = linkName === undefined ? await findLeftBehind(app) : [];
    if (options.json) {
      const unconfigured = left.length === 0 ? {} : { unconfigured: left };
      terminal.print(JSON.stringify({ links: statuses.map(toJson), ...unconfigured }));
    } else {
      const parts = statuses.map((one) => formatStatus(one, systemClock.now(), terminal));
      terminal.print([...parts, ...left.map(formatLeftBehind)].join('\n\n'));
    }
    return EXIT.done;
  });
