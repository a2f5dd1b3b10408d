import type { JournalRow } from '../../core/state/rows.ts';
import { OPERATION_KINDS, type OperationKind } from '../../core/reconcile/operation.ts';
import type { Store } from '../../store/store.ts';
import type { Shown } from '../../core/view/changes.ts';
import { HAPPENINGS, happeningOf, type Happening, type WriteView } from '../../core/view/views.ts';
import { findPeople } from './explain.ts';
import { followContacts } from './follow.ts';
import { loadBackground, writeView } from './writes.ts';

/** What a run wrote and tried to write, in its order; a group that it made or renamed is not journaled. */
export const listWrites = async (store: Store, link: string, run: string): Promise<readonly WriteView[]> => {
  const rows = await store.journal(link, { run });
  const background = await loadBackground(store, link, rows);
  return rows.map((row) => writeView(row, background));
};

/** So many writes of a run are shown and looked through whole. */
const FEW_WRITES = 300;
/** So many of each sort are read of a run that wrote more. */
const MOST_OF_SORT = 100;
const MOST_FOUND = 50;

/** Kinds of writes, by what happens; which of them decide a conflict the conflicts of the run say. */
const KINDS = {
  deletes: ['delete', 'group-delete'],
  creates: ['create'],
  updates: ['update', 'membership'],
} as const satisfies Partial<Record<Happening, readonly OperationKind[]>>;

/** Views of some writes of a run. */
const viewsOf = async (store: Store, link: string, rows: readonly JournalRow[]): Promise<readonly WriteView[]> => {
  // What a new contact is given after its create has the same reason as the create.
  const ids = rows.flatMap((row) => (row.kind === 'update' || row.kind === 'membership' ? [row.before.id] : []));
  const others = ids.length === 0 ? [] : await store.journal(link, { ids, pairIds: [] });
  const background = await loadBackground(store, link, [...rows, ...others.filter(({ kind }) => kind === 'create')]);
  return rows.map((row) => writeView(row, background));
};

/** Some of the writes of one sort; `total` of that sort there are, `next` is where the next ones begin. */
type WriteSection = {
  readonly happening: Happening;
  readonly total: number;
  readonly writes: readonly WriteView[];
  readonly next: number | null;
};

/** What is shown of the writes of a run: all of them, or some of each sort where they are many. */
export type ShownWrites =
  | { readonly all: readonly WriteView[] }
  | { readonly total: number; readonly sections: readonly WriteSection[] }
  /** Those of the people whom a text names. */
  | { readonly total: number; readonly of: readonly WriteView[] };

type Asked = Pick<Shown, 'only' | 'grep'> & { readonly from?: number };

const isOfRun = (run: string) => (row: JournalRow) => row.run === run;

/** The writes that decided a conflict: their contacts are those of the conflicts that the run found. */
const conflictSection = async (store: Store, link: string, run: string): Promise<WriteSection> => {
  const rows = (await store.conflicts(link, { all: true })).filter((row) => row.run === run);
  const leftIds = [...new Set(rows.map(({ leftId }) => leftId))];
  const ids = leftIds.slice(0, MOST_OF_SORT);
  const entries = ids.length === 0 ? [] : await store.journal(link, { ids, pairIds: [] });
  const views = await viewsOf(store, link, entries.filter(isOfRun(run)));
  const writes = views.filter((write) => happeningOf(write) === 'conflicts');
  return { happening: 'conflicts', total: Math.max(leftIds.length, writes.length), writes, next: null };
};

const sectionOf = async (
  store: Store,
  link: string,
  run: string,
  {
    happening,
    total,
    fromId,
  }: { readonly happening: keyof typeof KINDS; readonly total: number; readonly fromId: number },
): Promise<WriteSection> => {
  const asked = { run, kinds: KINDS[happening], fromId, limit: MOST_OF_SORT + 1 };
  const rows = total === 0 ? [] : await store.journal(link, asked);
  const writes = await viewsOf(store, link, rows.slice(0, MOST_OF_SORT));
  return { happening, total, writes, next: rows[MOST_OF_SORT]?.id ?? null };
};

/** What a run wrote and tried to write, as much of it as is shown at once; `from` is where a sort goes on. */
export const shownWrites = async (store: Store, link: string, run: string, asked: Asked): Promise<ShownWrites> => {
  const { only, grep, from = 0 } = asked;
  const counts = await store.writeCounts(link, run);
  const sum = (kinds: readonly OperationKind[]): number => kinds.reduce((n, kind) => n + (counts[kind] ?? 0), 0);
  const total = sum(OPERATION_KINDS);
  if (total <= FEW_WRITES) return { all: await listWrites(store, link, run) };
  if (grep !== undefined) {
    const people = await findPeople(store, link, grep, MOST_FOUND);
    const { writes } = await followContacts(store, link, { ids: [grep, ...people.map(({ id }) => id)], pairIds: [] });
    return { total, of: await viewsOf(store, link, writes.filter(isOfRun(run))) };
  }
  const sections: WriteSection[] = [];
  for (const happening of HAPPENINGS) {
    if (only !== undefined && only !== happening) continue;
    if (happening === 'conflicts') sections.push(await conflictSection(store, link, run));
    if (happening in KINDS) {
      const sort = happening as keyof typeof KINDS;
      sections.push(await sectionOf(store, link, run, { happening: sort, total: sum(KINDS[sort]), fromId: from }));
    }
  }
  return { total, sections: sections.filter((section) => section.total > 0) };
};

/** One write of a run by its number in the journal; none where the run has no such write. */
export const writeOf = async (store: Store, link: string, run: string, id: number): Promise<readonly WriteView[]> => {
  const rows = await store.journal(link, { run, fromId: id, limit: 1 });
  return viewsOf(
    store,
    link,
    rows.filter((row) => row.id === id),
  );
};
