import type { Half, HalfState } from '../core/contact/half.ts';
import type { Side, Sides } from '../core/contact/side.ts';
import type { ConflictRow, JournalRow } from '../core/state/rows.ts';
import type { Session } from './session.ts';

// Rows that a run read when it began, with its later changes. Those that a change does not keep up to date are read from the store.

type Reader = Pick<Session, 'link' | 'store' | 'writer'>;

/** The journal entries whose outcome is unknown. */
export const openEntries = async ({ link, store, writer }: Reader): Promise<readonly JournalRow[]> =>
  writer.opening?.openJournal ?? (await store.journal(link, { open: true }));

/** The conflicts that are open, or whose decision is not applied yet. */
export const currentConflicts = async ({ link, store, writer }: Reader): Promise<readonly ConflictRow[]> =>
  writer.opening?.conflicts ?? (await store.conflicts(link, { all: false }));

/** Whether each side has a half that is neither `missing` nor `gone`. */
export const anyPresent = async ({ link, store, writer }: Reader): Promise<Sides<boolean>> =>
  writer.opening?.anyPresent ?? (await store.anyPresent(link));

/** The halves in these states, of one side or of both. */
export const halvesIn = async (
  { link, store, writer }: Reader,
  states: readonly Exclude<HalfState, 'settled'>[],
  side?: Side,
): Promise<readonly Half[]> => {
  const isAsked = (half: Half): boolean =>
    states.some((state) => state === half.state) && (side === undefined || side === half.side);
  const query = side === undefined ? { states } : { states, side };
  return writer.opening?.open?.filter(isAsked) ?? (await store.halves(link, { by: 'state', ...query }));
};

/** The halves whose pair has one half only. */
export const halvesAlone = async ({ link, store, writer }: Reader): Promise<readonly Half[]> =>
  writer.opening?.alone ?? (await store.halves(link, { by: 'alone' }));
