import type { JournalRow } from '../../core/state/rows.ts';
import { bySide } from '../../core/contact/side.ts';
import { OPERATION_KINDS, type OperationKind } from '../../core/reconcile/operation.ts';
import type { Store } from '../../store/store.ts';
import type { ChangeFilter } from '../../core/view/changes.ts';
import { CHANGE_KINDS, changeKindOf, type ChangeKind, type WriteView } from '../../core/view/views.ts';
import { findPeople } from './explain.ts';
import { followContacts } from './follow.ts';
import { type DecidingLink, loadBackground, writeView } from './writes.ts';

/** Returns the completed and attempted writes of a run, in order. Creates and renames of groups are not journaled. */
export const listWrites = async (store: Store, of: DecidingLink, run: string): Promise<readonly WriteView[]> => {
  const rows = await store.journal(of.name, { run });
  const background = await loadBackground(store, of, rows);
  return rows.map((row) => writeView(row, background));
};

/** Up to this many writes of a run are returned and searched completely. */
const FEW_WRITES = 300;
/** The number of writes of each sort that are read from a larger run. */
const MOST_OF_SORT = 100;
const MOST_FOUND = 50;

/** The kinds of writes by sort. The writes that decide a conflict follow from the conflicts of the run. */
const KINDS = {
  deletes: ['delete', 'group-delete'],
  creates: ['create'],
  updates: ['update', 'membership'],
} as const satisfies Partial<Record<ChangeKind, readonly OperationKind[]>>;

/** Views of some writes of a run. */
const viewsOf = async (store: Store, of: DecidingLink, rows: readonly JournalRow[]): Promise<readonly WriteView[]> => {
  // Writes to a new contact after its create have the same reason as the create.
  const ids = rows.flatMap((row) => (row.kind === 'update' || row.kind === 'membership' ? [row.before.id] : []));
  const others = ids.length === 0 ? [] : await store.journal(of.name, { ids, pairIds: [] });
  const background = await loadBackground(store, of, [...rows, ...others.filter(({ kind }) => kind === 'create')]);
  return rows.map((row) => writeView(row, background));
};

/** Some of the writes of one sort; `total` is the number of all writes of that sort, `next` the id of the next one. */
type WriteSection = {
  readonly changeKind: ChangeKind;
  readonly total: number;
  readonly writes: readonly WriteView[];
  readonly next: number | null;
};

/** The writes of a run to show: all, or some of each sort if there are many. */
export type ShownWrites =
  | { readonly all: readonly WriteView[] }
  | { readonly total: number; readonly sections: readonly WriteSection[] }
  /** The writes to the people that match a text. */
  | { readonly total: number; readonly of: readonly WriteView[] };

type Asked = ChangeFilter & { readonly from?: number };

const isOfRun = (run: string) => (row: JournalRow) => row.run === run;

/** The writes that decided a conflict, found by the contacts of the run's conflicts. */
const conflictSection = async (store: Store, of: DecidingLink, run: string): Promise<WriteSection> => {
  // A conflict that no rule decided was written by no run.
  const rows = (await store.conflicts(of.name, { all: true })).filter((row) => row.run === run && row.winner !== null);
  const leftIds = [...new Set(rows.map(({ leftId }) => leftId))];
  const ids = leftIds.slice(0, MOST_OF_SORT);
  const entries = ids.length === 0 ? [] : await store.journal(of.name, { ids, pairIds: [] });
  const views = await viewsOf(store, of, entries.filter(isOfRun(run)));
  const writes = views.filter((write) => changeKindOf(write) === 'conflicts');
  return { changeKind: 'conflicts', total: Math.max(leftIds.length, writes.length), writes, next: null };
};

const sectionOf = async (
  store: Store,
  of: DecidingLink,
  run: string,
  section: { readonly changeKind: keyof typeof KINDS; readonly total: number; readonly fromId: number },
): Promise<WriteSection> => {
  const { changeKind, total, fromId } = section;
  const asked = { run, kinds: KINDS[changeKind], fromId, limit: MOST_OF_SORT + 1 };
  const rows = total === 0 ? [] : await store.journal(of.name, asked);
  const writes = await viewsOf(store, of, rows.slice(0, MOST_OF_SORT));
  return { changeKind, total, writes, next: rows[MOST_OF_SORT]?.id ?? null };
};

/** Returns one page of the completed and attempted writes of a run; `from` is the journal id at which a sort continues. */
export const shownWrites = async (store: Store, of: DecidingLink, run: string, asked: Asked): Promise<ShownWrites> => {
  const { only, grep, from = 0 } = asked;
  const counts = await store.writeCounts(of.name, run);
  const sum = (kinds: readonly OperationKind[]): number => kinds.reduce((n, kind) => n + (counts[kind] ?? 0), 0);
  const total = sum(OPERATION_KINDS);
  if (total <= FEW_WRITES) return { all: await listWrites(store, of, run) };
  if (grep !== undefined) {
    const people = await findPeople(store, of.name, grep, MOST_FOUND);
    const ids = bySide((side) => [grep, ...people.filter((each) => each.side === side).map(({ id }) => id)]);
    const { writes } = await followContacts(store, of.name, { ids, pairIds: [] });
    return { total, of: await viewsOf(store, of, writes.filter(isOfRun(run))) };
  }
  const sections: WriteSection[] = [];
  for (const changeKind of CHANGE_KINDS) {
    if (only !== undefined && only !== changeKind) continue;
    if (changeKind === 'conflicts') sections.push(await conflictSection(store, of, run));
    if (changeKind in KINDS) {
      const sort = changeKind as keyof typeof KINDS;
      sections.push(await sectionOf(store, of, run, { changeKind: sort, total: sum(KINDS[sort]), fromId: from }));
    }
  }
  return { total, sections: sections.filter((section) => section.total > 0) };
};

/** Returns one write of a run by its journal id; empty if the run has no such write. */
export const writeOf = async (
  store: Store,
  of: DecidingLink,
  run: string,
  id: number,
): Promise<readonly WriteView[]> => {
  const rows = await store.journal(of.name, { run, fromId: id, limit: 1 });
  return viewsOf(
    store,
    of,
    rows.filter((row) => row.id === id),
  );
};
