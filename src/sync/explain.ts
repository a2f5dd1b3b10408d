import { EMPTY_CONTACT, SYNCED_FIELDS, type ContactField, type SyncedField } from '../contact/contact.ts';
import { otherSide, SIDES, type Side } from '../contact/side.ts';
import { emailKey, type ListElement } from '../contact/keys.ts';
import { foldText } from '../contact/names.ts';
import type { ContactRecord } from '../contact/record.ts';
import { fingerprint } from '../contact/snapshot.ts';
import type { Pair, PairStatus } from '../reconcile/decision.ts';
import type { ConflictRow, Rejection, RunRow, Store, StoredRunKind, WriteStory } from '../store/store.ts';
import { followContacts, writtenId } from './story.ts';

/** Why a value was written. */
export type Why =
  | { readonly kind: 'new' | 'changed' | 'deleted' | 'first-meeting' | 'edit-beats-delete'; readonly at: Side }
  | { readonly kind: 'conflict'; readonly winner: Side }
  | { readonly kind: 'undo'; readonly of: string | null };

type FieldChange = { readonly field: SyncedField; readonly from: string; readonly to: string; readonly why: Why };

/** One write, as the journal tells it. */
export type StoryEntry = {
  readonly atMs: number;
  readonly run: string;
  readonly kind: StoredRunKind | null;
  /** The side that was written, and the contact there. */
  readonly side: Side;
  readonly id: string;
  readonly action: WriteStory['kind'];
  /** `failed`: the side refused it; `abandoned`: it never arrived and was planned again; `intended`: still unanswered. */
  readonly state: WriteStory['state'];
  readonly why: Why;
  readonly changes: readonly FieldChange[];
  readonly error: string | null;
};

export type HalfNow = {
  readonly id: string | null;
  readonly state: 'present' | 'deleted' | 'none';
  /** Fields whose change no run has taken to the other side yet. */
  readonly unsynced: readonly SyncedField[];
};

/** The history of one contact on both sides, and how it stands. */
export type ContactStory = {
  readonly status: PairStatus | 'unlinked';
  readonly left: HalfNow;
  readonly right: HalfNow;
  readonly entries: readonly StoryEntry[];
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
  readonly creates: ReadonlyMap<string, WriteStory>;
};

const createKey = (write: WriteStory): string => `${write.run} ${writtenId(write)}`;

const whyOf = (write: WriteStory, background: Background): Why => {
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

const whyOfField = (write: WriteStory, field: SyncedField, background: Background): Why => {
  const winner = otherSide(write.side);
  const isConflict = background.conflicts.some((conflict) => {
    const isSame = conflict.run === write.run && conflict.field === field && conflict.winner === winner;
    return isSame && (conflict.leftId === write.leftId || conflict.rightId === write.rightId);
  });
  return isConflict && !write.intent.undoes ? { kind: 'conflict', winner } : whyOf(write, background);
};

/** What stood there, and what stands there since; what was asked for, where no answer tells. */
const changesOf = (write: WriteStory, background: Background): readonly FieldChange[] => {
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

const entryOf = (write: WriteStory, background: Background): StoryEntry => ({
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

const halfNow = (pair: Pair | undefined, side: Side): HalfNow => {
  const half = pair?.[side];
  if (half === undefined || half.kind === 'none') return { id: null, state: 'none', unsynced: [] };
  if (half.kind === 'gone') return { id: half.id, state: 'deleted', unsynced: [] };
  const { record, base } = half;
  const differs = (field: SyncedField): boolean => {
    if (base === null) return true;
    if (field === 'buckets') return record.groupIds.join() !== base.groupIds.join();
    const only = (value: typeof record.contact) => {
      return fingerprint({ contact: { ...EMPTY_CONTACT, [field]: value[field] }, groupIds: [] });
    };
    return only(record.contact) !== only(base.contact);
  };
  return { id: record.id, state: 'present', unsynced: SYNCED_FIELDS.filter(differs) };
};

const loadBackground = async (store: Store, link: string, writes: readonly WriteStory[]): Promise<Background> => {
  const groupPairs = await store.groupPairs(link);
  const named = groupPairs.flatMap((pair) => SIDES.flatMap((side) => pair[side] ?? []));
  const runs = new Map<string, RunRow>();
  for (const id of new Set(writes.map((write) => write.run))) {
    const run = (await store.findRuns(link, id)).find((row) => row.id === id);
    if (run !== undefined) runs.set(id, run);
  }
  const conflicts = await store.conflicts(link, { all: true });
  const creates = new Map(writes.filter(({ kind }) => kind === 'create').map((write) => [createKey(write), write]));
  return { runs, creates, conflicts, groupNames: new Map(named.map(({ id, name }) => [id, name])) };
};

const wordsOf = (text: string): readonly string[] => foldText(text).split(' ');

/** The ids of contacts of that email address, else of that name, else whose name has all its words. */
const search = async (store: Store, link: string, text: string): Promise<readonly string[]> => {
  const known = await store.knownContacts(link);
  const idsWhere = (test: (record: ContactRecord) => boolean): readonly string[] => {
    return known.flatMap(({ record }) => (test(record) ? [record.id] : []));
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

const tellOne = async (store: Store, link: string, id: string) => {
  const [known] = await store.pairsWith(link, { ids: [id], pairIds: [] });
  const pairId = known?.id ?? null;
  const pairIds = pairId === null ? [] : [pairId];
  const own = SIDES.flatMap((side) => halfNow(known, side).id ?? []);
  const { writes, ids } = await followContacts(store, link, { ids: [...new Set([id, ...own])], pairIds });
  const [pair] = await store.pairsWith(link, { ids, pairIds: [] });
  const background = await loadBackground(store, link, writes);
  const isOwn = (row: { readonly leftId: string | null; readonly rightId: string | null }): boolean => {
    return [row.leftId, row.rightId].some((one) => one !== null && ids.includes(one));
  };
  const story: ContactStory = {
    status: pair?.status ?? 'unlinked',
    left: halfNow(pair, 'left'),
    right: halfNow(pair, 'right'),
    entries: writes.map((write) => entryOf(write, background)),
    conflicts: (await store.conflicts(link, { all: false })).filter(isOwn),
    rejected: (await store.rejections(link)).filter(isOwn),
  };
  return { story, ids, isKnown: pair !== undefined || writes.length > 0 };
};

/**
 * The history of the contacts that the text names, by id, email address or name: what each run wrote on which side, from
 * what to what, and why. Empty where the store knows none. Asks neither side.
 */
export const explainContact = async (store: Store, link: string, text: string): Promise<readonly ContactStory[]> => {
  const byId = await tellOne(store, link, text);
  if (byId.isKnown) return [byId.story];
  const told = new Set<string>();
  const stories: ContactStory[] = [];
  for (const id of await search(store, link, text)) {
    if (told.has(id)) continue;
    const { story, ids } = await tellOne(store, link, id);
    for (const one of [id, ...ids]) told.add(one);
    stories.push(story);
  }
  return stories;
};
