import type { LinkConfig } from '../../app/config/link-config.ts';
import { SIDES, type Side, type Sides, type SideWords } from '../../core/contact/side.ts';
import type { RunKind } from '../../core/state/rows.ts';
import { count, formatDuration } from '../../core/view/words.ts';
import { resumeRemedy } from '../../engine/errors.ts';
import type { RunResult, RunSummary } from '../../engine/run.ts';
import { isCredentialError } from '../../providers/errors.ts';
import { EXIT, exitCodeOf, messageOf } from '../command/exit-codes.ts';
import { formatTable } from '../terminal/layout.ts';
import type { Terminal } from '../terminal/terminal.ts';

const NOTHING: RunSummary['left'] = {
  pulled: 0,
  created: 0,
  updated: 0,
  deleted: 0,
  groupsChanged: 0,
  groupsDeleted: 0,
  requests: 0,
};

/** The result of a run that could not start: it has no id and no counts. */
export const notBegun = (link: LinkConfig, kind: RunKind, error: unknown): RunResult => ({
  summary: {
    link: link.name,
    run: '',
    kind,
    outcome: 'failed',
    reason: messageOf(error),
    left: NOTHING,
    right: NOTHING,
    paired: 0,
    conflicts: 0,
    skipped: 0,
    durationMs: 0,
  },
  error,
});

const formatCounts = (summary: RunSummary, sides: Sides<SideWords>): string => {
  const row = (side: Side): (string | number)[] => {
    const { pulled, created, updated, deleted, requests } = summary[side];
    return [sides[side].title, pulled, created, updated, deleted, requests];
  };
  const head = ['', 'changed', 'created', 'updated', 'deleted', 'requests'];
  return formatTable(SIDES.map(row), { head, numbers: [1, 2, 3, 4, 5], indent: '  ' });
};

/** The result of a run, for people. `hasHints` adds commands for further details. */
export const formatSummary = (
  summary: RunSummary,
  sides: Sides<SideWords>,
  terminal: Pick<Terminal, 'style'>,
  { hasHints = true }: { readonly hasHints?: boolean } = {},
): string => {
  const { link, kind, outcome, durationMs, paired, conflicts, asked = 0, skipped } = summary;
  const colour = { completed: 'green', halted: 'yellow', stopped: 'yellow', failed: 'red' } as const;
  const ending = summary.stopped ? 'stopped' : outcome;
  const title = `${terminal.style('bold', link)}: ${terminal.style(colour[ending], ending)}`;
  if (summary.run === '') return title;
  const groups = (which: 'groupsChanged' | 'groupsDeleted'): number => summary.left[which] + summary.right[which];
  const see = (command: string): string => (hasHints ? `. See: contact-sync ${command} ${link}` : '');
  const notes = [
    [groups('groupsChanged'), 'label or bucket', 'labels or buckets', ' created or renamed'],
    [groups('groupsDeleted'), 'label or bucket', 'labels or buckets', ' deleted; their contacts are kept'],
    [paired, 'contact', 'contacts', ' paired'],
    [conflicts, 'conflict', 'conflicts', ` decided by policy${see('conflicts')}`],
    [asked, 'conflict', 'conflicts', ` to decide${see('conflicts')}`],
    [skipped, 'contact', 'contacts', ` not synced in this run${see('status')}`],
  ] as const;
  const lines = [`${title} (${kind}) in ${formatDuration(durationMs)}`, formatCounts(summary, sides)];
  const shown = notes.flatMap(([number, one, many, rest]) =>
    number > 0 ? [`  ${count(number, one, many)}${rest}`] : [],
  );
  return [...lines, ...shown].join('\n');
};

/** The reason why a run did not complete, and the remedy; null if it completed. */
export const formatTrouble = ({ summary, error }: RunResult, sides: Sides<SideWords>): string | null => {
  if (error === null) return null;
  const reason = messageOf(error);
  if (isCredentialError(error)) {
    return `${reason}\nThe link is paused. ${resumeRemedy(error, { link: summary.link, sides })}`;
  }
  if (exitCodeOf(error) === EXIT.unavailable) {
    return `${reason}\nCompleted work is stored. Run the same command again later to continue.`;
  }
  return reason;
};
