import { EMPTY_CONTACT, SYNCED_FIELDS, type ContactField, type SyncedField } from '../contact/contact.ts';
import { otherSide, SIDES, type Side } from '../contact/side.ts';
import { emailKey, type ListElement } from '../contact/keys.ts';
import { foldText } from '../contact/names.ts';
import type { ContactRecord } from '../contact/record.ts';
import { fingerprint } from '../contact/snapshot.ts';
import type { Pair, PairStatus } from '../reconcile/decision.ts';
import type { ConflictRow, Rejection, RunRow, Store, StoredRunKind } from '../store/store.ts';
import { loadPairsOf } from '../sync/workload.ts';
import { followContacts, writtenId, type ContactWrite } from './follow.ts';

/** Why a value was written. */
export type Why =
  | { readonly kind: 'new' | 'changed' | 'deleted' | 'first-meeting' | 'edit-beats-delete'; readonly at: Side }
  | { readonly kind: 'conflict'; readonly winner: Side }
  | { readonly kind: 'undo'; readonly of: string | null };

type FieldChange = { readonly field: SyncedField; readonly from: string; readonly to: string; readonly why: Why };

/** One write, as the journal has it. */
export type HistoryEntry = {
  readonly atMs: number;
  readonly run: string;
  readonly kind: StoredRunKind | null;
  /** The side that was written, and the contact there. */
  readonly side: Side;
  readonly id: string;
  readonly action: ContactWrite['kind'];
  /** `failed`: the side refused it; `abandoned`: it never arrived and was planned again; `intended`: its outcome is unknown. */
  readonly state: ContactWrite['state'];
  readonly why: Why;
  readonly changes: readonly FieldChange[];
  readonly error: string | null;
};

type HalfView = {
  readonly id: string | null;
  readonly state: 'present' | 'deleted' | 'none';
  /** Fields whose change no run has taken to the other side yet. */
  readonly unsynced: readonly SyncedField[];
};

/** The history of one contact on both sides, and how it stands. */
export type ContactHistory = {
  readonly status: PairStatus | 'unlinked';
  readonly left: HalfView;
  readonly right: HalfView;
  readonly entries: readonly HistoryEntry[];
  readonly conflicts: readonly ConflictRow[];
  readonly rejected: readonly Rejection[];
};

const elementText = (element: ListElement): string => {
  if ('value' in element) return element.value;
  const { street, postalCode, city, region, country } = element;
  return [street, postalCode, city, region, country].filter((part) => part !== '').join(', ');
};

const textOf = (record: ContactRecord | null, field: ContactField): string => {
  const value = (record?.contact ?? EMPTY_CONTACT)[field];
  return typeof value === 'string' ? value : value.map(elementText).join('; ');
};

type Names = ReadonlyMap<string, string>;

const groupsOf = (record: ContactRecord | null, names: Names): string => {
  return (record?.groupIds ?? [])
    .map((id) => names.get(id) ?? id)
    .toSorted()
    .join('; ');
};

/** What the writes of a link are judged by. */
type Background = {
  readonly runs: ReadonlyMap<string, RunRow>;
  readonly conflicts: readonly ConflictRow[];
  readonly groupNames: Names;
  /** The creates by run and by the contact that came of them. */
  readonly creates: ReadonlyMap<string, ContactWrite>;
};

const createKey = (write: ContactWrite): string => `${write.run} ${writtenId(write)}`;

const whyOf = (write: ContactWrite, background: Background): Why => {
  // What a new contact is given after its create has the same reason as the create.
  const create = background.creates.get(createKey(write));
  if (create !== undefined && create !== write) return whyOf(create, background);
  const at = otherSide(write.side);
  if (write.intent.undoes) return { kind: 'undo', of: background.runs.get(write.run)?.undoes ?? null };
  switch (write.kind) {
    case 'create':
      return { kind: write.pairId === null ? 'new' : 'edit-beats-delete', at };
    case 'delete':
      return { kind: 'deleted', at };
    case 'update':
    case 'membership':
      return { kind: write.pairId === null ? 'first-meeting' : 'changed', at };
  }
};

const whyOfField = (write: ContactWrite, field: SyncedField, background: Background): Why => {
  const winner = otherSide(write.side);
  const isConflict = background.conflicts.some((conflict) => {
    const isSame = conflict.run === write.run && conflict.field === field && conflict.winner === winner;
    return isSame && (conflict.leftId === write.leftId || conflict.rightId === write.rightId);
  });
  return isConflict && !write.intent.undoes ? { kind: 'conflict', winner } : whyOf(write, background);
};

/** What stood there, and what stands there since; what was asked for, where no answer says. */
const changesOf = (write: ContactWrite, background: Background): readonly FieldChange[] => {
  const { before, after, intent } = write;
  const { desired } = intent;
  const asked: ContactRecord | null =
    desired === null || before === null ? null : { ...before, contact: desired, groupIds: before.groupIds };
  const to = write.kind === 'delete' ? null : (after ?? asked);
  const fields = write.kind === 'create' || write.kind === 'delete' ? SYNCED_FIELDS : intent.fields;
  return fields.flatMap((field): FieldChange[] => {
    const text = (record: ContactRecord | null): string => {
      return field === 'buckets' ? groupsOf(record, background.groupNames) : textOf(record, field);
    };
    const values = { from: text(before), to: text(to) };
    return values.from === values.to ? [] : [{ field, ...values, why: whyOfField(write, field, background) }];
  });
};

const entryOf = (write: ContactWrite, background: Background): HistoryEntry => ({
  atMs: write.settledAtMs ?? write.intendedAtMs,
  run: write.run,
  kind: background.runs.get(write.run)?.kind ?? null,
  side: write.side,
  id: writtenId(write),
  action: write.kind,
  state: write.state,
  why: whyOf(write, background),
  changes: changesOf(write, background),
  error: write.error,
});

const halfView = (pair: Pair | undefined, side: Side): HalfView => {
  const half = pair?.[side] ?? null;
  if (half === null) return { id: null, state: 'none', unsynced: [] };
  if (half.state === 'gone') return { id: half.id, state: 'deleted', unsynced: [] };
  const { record, base } = half;
  const differs = (field: SyncedField): boolean => {
    if (base === null) return true;
    if (field === 'buckets') return record.groupIds.join() !== base.groupIds.join();
    const only = (value: typeof record.contact) => {
      return fingerprint({ contact: { ...EMPTY_CONTACT, [field]: value[field] }, groupIds: [] });
    };
    return only(record.contact) !== only(base.contact);
  };
  return { id: half.id, state: 'present', unsynced: SYNCED_FIELDS.filter(differs) };
};

const loadBackground = async (store: Store, link: string, writes: readonly ContactWrite[]): Promise<Background> => {
  const { groupPairs } = await store.link(link);
  const named = groupPairs.flatMap((pair) => SIDES.flatMap((side) => pair[side] ?? []));
  const runs = new Map<string, RunRow>();
  for (const id of new Set(writes.map((write) => write.run))) {
    const run = (await store.runs(link, { idPrefix: id })).find((row) => row.id === id);
    if (run !== undefined) runs.set(id, run);
  }
  const conflicts = await store.conflicts(link, { all: true });
  const creates = new Map(writes.filter(({ kind }) => kind === 'create').map((write) => [createKey(write), write]));
  return { runs, creates, conflicts, groupNames: new Map(named.map(({ id, name }) => [id, name])) };
};

const wordsOf = (text: string): readonly string[] => foldText(text).split(' ');

/** Every contact that the store has an image of: halves, and contacts that a run deleted. */
const knownContacts = async (store: Store, link: string): Promise<readonly ContactRecord[]> => {
  const halves = await store.halves(link, { by: 'all' });
  const deletions = await store.journal(link, { deletions: true });
  return [...halves.map(({ record }) => record), ...deletions.flatMap(({ before }) => before ?? [])];
};

/** The ids of contacts of that email address, else of that name, else whose name has all its words. */
const search = async (store: Store, link: string, text: string): Promise<readonly string[]> => {
  const known = await knownContacts(store, link);
  const idsWhere = (test: (record: ContactRecord) => boolean): readonly string[] => {
    return known.filter(test).map(({ id }) => id);
  };
  const byEmail = idsWhere(({ contact }) => {
    return contact.emailAddresses.some((email) => emailKey(email.value) === emailKey(text));
  });
  const words = wordsOf(text);
  if (byEmail.length > 0 || words.join('') === '') return byEmail;
  const nameWords = ({ contact }: ContactRecord) => wordsOf(`${contact.firstName} ${contact.lastName}`);
  const byName = idsWhere((record) => nameWords(record).toSorted().join() === words.toSorted().join());
  if (byName.length > 0) return byName;
  return idsWhere((record) => words.every((word) => nameWords(record).includes(word)));
};

const historyOf = async (store: Store, link: string, id: string) => {
  const [known] = await loadPairsOf(store, link, { ids: [id], pairIds: [] });
  const pairId = known?.id ?? null;
  const pairIds = pairId === null ? [] : [pairId];
  const own = SIDES.flatMap((side) => halfView(known, side).id ?? []);
  const { writes, ids } = await followContacts(store, link, { ids: [...new Set([id, ...own])], pairIds });
  const [pair] = await loadPairsOf(store, link, { ids, pairIds: [] });
  const background = await loadBackground(store, link, writes);
  const isOwn = (row: { readonly leftId: string | null; readonly rightId: string | null }): boolean => {
    return [row.leftId, row.rightId].some((one) => one !== null && ids.includes(one));
  };
  const history: ContactHistory = {
    status: pair?.status ?? 'unlinked',
    left: halfView(pair, 'left'),
    right: halfView(pair, 'right'),
    entries: writes.map((write) => entryOf(write, background)),
    conflicts: (await store.conflicts(link, { all: false })).filter(isOwn),
    rejected: (await store.link(link)).rejections.filter(isOwn),
  };
  return { history, ids, isKnown: pair !== undefined || writes.length > 0 };
};

/**
 * The history of the contacts that the text names, by id, email address or name: what each run wrote on which side, from
 * what to what, and why. Empty where the store knows none. Asks neither side.
 */
export const explainContact = async (store: Store, link: string, text: string): Promise<readonly ContactHistory[]> => {
  const byId = await historyOf(store, link, text);
  if (byId.isKnown) return [byId.history];
  const seen = new Set<string>();
  const histories: ContactHistory[] = [];
  for (const id of await search(store, link, text)) {
    if (seen.has(id)) continue;
    const { history, ids } = await historyOf(store, link, id);
    for (const one of [id, ...ids]) seen.add(one);
    histories.push(history);
  }
  return histories;
};
