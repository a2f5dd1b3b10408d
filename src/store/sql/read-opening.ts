import type { SQL } from 'drizzle-orm';
import { HALF_STATES, type Half } from '../../core/contact/half.ts';
import { toConflicts, type HalfCells } from '../columns.ts';
import { MOST_OPENING_HALVES, type HalfQuery, type Opening } from '../store.ts';
import type { Dialect, Statements } from './dialect.ts';
import { sql } from './drizzle.ts';
import { halvesOf, presenceOf, selectHalves, selectPresence } from './read-halves.ts';
import { journalOf, selectConflicts, selectJournal, selectRuns } from './read-history.ts';
import { linksOf, selectLinks, type LinkPart } from './read-links.ts';
import type { Rows } from './step.ts';

const OPEN: HalfQuery = { by: 'state', states: HALF_STATES.filter((state) => state !== 'settled') };
const ALONE: HalfQuery = { by: 'alone' };

type Part = LinkPart | 'openJournal' | 'conflicts' | 'completed' | 'presence' | 'open' | 'alone';

/** Selects the rows of an {@link Opening}. */
export const selectOpening = (dialect: Dialect, link: string): Statements<Part> => {
  const atMost = (query: HalfQuery): SQL => sql`${selectHalves(dialect, link, query)} limit ${MOST_OPENING_HALVES + 1}`;
  return {
    ...selectLinks(link),
    openJournal: selectJournal(dialect, link, { open: true }),
    conflicts: selectConflicts(link, false),
    completed: selectRuns(dialect, link, { latest: 'completed' }),
    presence: selectPresence(link),
    open: atMost(OPEN),
    alone: atMost(ALONE),
  };
};

const fewHalves = (query: HalfQuery, rows: Rows): readonly Half[] | null =>
  rows.length > MOST_OPENING_HALVES ? null : halvesOf(query, rows as unknown as readonly HalfCells[]);

/** The opening in the rows that {@link selectOpening} selected; null if the link does not exist. */
export const openingOf = (read: Readonly<Record<Part, Rows>>): Opening | null => {
  const [state] = linksOf(read);
  if (state === undefined) return null;
  // Each was selected with the columns of its table.
  return {
    state,
    openJournal: journalOf(read.openJournal as unknown as Parameters<typeof journalOf>[0]),
    conflicts: toConflicts(read.conflicts as unknown as Parameters<typeof toConflicts>[0]),
    hasCompletedRun: read.completed.length > 0,
    anyPresent: presenceOf(read.presence as unknown as Parameters<typeof presenceOf>[0]),
    open: fewHalves(OPEN, read.open),
    alone: fewHalves(ALONE, read.alone),
  };
};
