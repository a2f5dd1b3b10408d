import type { LinkConfig } from '../../app/config/link-config.ts';
import type { Acceptance } from '../../engine/session.ts';
import { unencryptedLinks } from '../../app/config/unencrypted.ts';
import { inWordsOf } from '../../core/contact/side.ts';
import type { RunKind } from '../../core/state/rows.ts';
import { FIRST_SYNC_WAITS } from '../../engine/errors.ts';
import { restoreDeletions } from '../../engine/restore-deletions.ts';
import type { RunResult } from '../../engine/run.ts';
import { errorOfLeftOut } from '../command/configuration.ts';
import { EXIT, exitCodeOf, worstExitCode, type ExitCode } from '../command/exit-codes.ts';
import type { CommonOptions, Opened } from '../command/with-app.ts';
import { NO_PROGRESS, startProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { formatSummary, formatTrouble, notBegun } from './summary.ts';

export type RunLinksOptions = CommonOptions & {
  readonly acceptDeletes?: boolean;
  readonly acceptFirst?: boolean;
  readonly restoreDeletes?: boolean;
};

type Request = { readonly kind: RunKind; readonly options: RunLinksOptions };

/** Returns what a person accepts of a halted plan; null if nothing. With `--restore-deletes`, first stores what the run must create again. */
const prepareAcceptance = async (
  { app }: Opened,
  link: LinkConfig,
  { acceptDeletes, acceptFirst, restoreDeletes }: RunLinksOptions,
): Promise<Acceptance | null> => {
  if (acceptFirst) return { kind: 'halt', message: FIRST_SYNC_WAITS, loses: true };
  if (acceptDeletes) return { kind: 'losses' };
  if (!restoreDeletes) return null;
  const halted = await restoreDeletions(app.lease, link.name, link);
  const message = halted?.reason ?? null;
  return message === null ? null : { kind: 'halt', message, loses: false };
};

const runOne = async (
  terminal: Terminal,
  opened: Opened,
  link: LinkConfig,
  { kind, options }: Request,
): Promise<RunResult> => {
  const { app, links, signal } = opened;
  const progress = options.json ? NO_PROGRESS : await startProgress(terminal, link.sides);
  if (!options.json && links.length > 1) terminal.print(link.name);
  try {
    const accepts = await prepareAcceptance(opened, link, options);
    return await app.run(link, { kind, ...(accepts !== null && { accepts }), signal, onEvent: progress.show });
  } catch (error) {
    // A failure of one link does not stop the others.
    return notBegun(link, kind, error);
  } finally {
    progress.stop();
  }
};

const show = (terminal: Terminal, { sides }: LinkConfig, result: RunResult): void => {
  terminal.print(formatSummary(result.summary, sides, terminal));
  const trouble = formatTrouble(result, sides);
  if (trouble !== null) terminal.warn(trouble);
};

/** Runs the links one after the other, for `sync` and `resync`. Returns the exit code. */
export const runLinks = async (terminal: Terminal, opened: Opened, request: Request): Promise<ExitCode> => {
  const { options } = request;
  for (const found of unencryptedLinks(opened.links)) opened.events.addressesUnencrypted(found);
  const results: RunResult[] = [];
  const documents: unknown[] = [];
  for (const link of opened.links) {
    if (opened.signal.aborted) break;
    const result = await runOne(terminal, opened, link, request);
    results.push(result);
    documents.push(inWordsOf(link.sides, result.summary));
    // A database that fails is reported as the reason of the run.
    const pausedByHandAtMs = await opened.app.store.pausedByHandAtMs(link.name).catch(() => null);
    const resume = `contact-sync resume ${link.name}`;
    if (pausedByHandAtMs !== null) terminal.warn(`${link.name} is still paused by hand. Resume with: ${resume}`);
    if (!options.json) show(terminal, link, result);
    // A run that did not start has no log line.
    else if (result.summary.run === '') terminal.warn(`${link.name}: ${result.summary.reason}`);
  }
  const unsynced = opened.links.slice(results.length).map(({ name }) => name);
  if (unsynced.length > 0) terminal.warn(`Interrupted. Not synced: ${unsynced.join(', ')}`);
  const { leftOut } = opened;
  if (options.json) terminal.print(JSON.stringify({ runs: documents, ...errorOfLeftOut(leftOut) }));
  const codes = [...results.map((result) => exitCodeOf(result.error)), ...leftOut.map(() => EXIT.usage)];
  return worstExitCode(unsynced.length > 0 ? [...codes, EXIT.failed] : codes);
};
