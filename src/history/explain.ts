import { EMPTY_CONTACT, SYNCED_FIELDS, type SyncedField } from '../contact/contact.ts';
import { bySide, SIDES, type Side } from '../contact/side.ts';
import { emailKey, phoneKey } from '../contact/keys.ts';
import { foldText } from '../contact/names.ts';
import type { ContactRecord } from '../contact/record.ts';
import { fingerprint } from '../contact/snapshot.ts';
import type { Pair, PairStatus } from '../reconcile/decision.ts';
import type { ConflictRow, Rejection, Store } from '../store/store.ts';
import { loadPairsOf } from '../sync/workload.ts';
import { nameOf } from '../view/values.ts';
import type { Standing, Write } from '../view/views.ts';
import { isOpen } from './conflicts.ts';
import { followContacts } from './follow.ts';
import { standingsOf } from './standing.ts';
import { loadBackground, writeView } from './writes.ts';

type HalfView = {
  readonly id: string | null;
  readonly state: 'present' | 'deleted' | 'none';
  /** Fields whose change no run has taken to the other side yet. */
  readonly unsynced: readonly SyncedField[];
};

/** The history of one contact on both sides, and how it stands. */
export type ContactHistory = {
  /** What it is called now, else when it was last written; null where nothing names it. */
  readonly name: string | null;
  readonly status: PairStatus | 'unlinked';
  readonly left: HalfView;
  readonly right: HalfView;
  /** Whose value of each field stands. */
  readonly standings: readonly Standing[];
  readonly entries: readonly Write[];
  readonly conflicts: readonly ConflictRow[];
  readonly rejected: readonly Rejection[];
};

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

const wordsOf = (text: string): readonly string[] => foldText(text).split(' ');

/** Every contact that the store has an image of: halves, and contacts that a run deleted. */
const knownContacts = async (store: Store, link: string): Promise<readonly ContactRecord[]> => {
  const halves = await store.halves(link, { by: 'all' });
  const deletions = await store.journal(link, { deletions: true });
  return [...halves.map(({ record }) => record), ...deletions.flatMap(({ before }) => before ?? [])];
};

/**
 * The ids of contacts of that email address or phone number, else of that name, else whose name has all its words, else whose
 * name has words that begin so.
 */
const search = async (store: Store, link: string, text: string): Promise<readonly string[]> => {
  const known = await knownContacts(store, link);
  const idsWhere = (test: (record: ContactRecord) => boolean): readonly string[] => {
    return known.filter(test).map(({ id }) => id);
  };
  const byAddress = idsWhere(({ contact: { emailAddresses, phoneNumbers } }) => {
    const hasEmail = emailAddresses.some(({ value }) => emailKey(value) === emailKey(text));
    return hasEmail || (phoneKey(text) !== '' && phoneNumbers.some(({ value }) => phoneKey(value) === phoneKey(text)));
  });
  const words = wordsOf(text);
  if (byAddress.length > 0 || words.join('') === '') return byAddress;
  const nameWords = ({ contact }: ContactRecord) => wordsOf(`${contact.firstName} ${contact.lastName}`);
  const byName = idsWhere((record) => nameWords(record).toSorted().join() === words.toSorted().join());
  if (byName.length > 0) return byName;
  const byWords = idsWhere((record) => words.every((word) => nameWords(record).includes(word)));
  if (byWords.length > 0) return byWords;
  return idsWhere((record) => words.every((word) => nameWords(record).some((name) => name.startsWith(word))));
};

const nameNow = (pair: Pair | undefined): string | null => {
  const [half] = SIDES.flatMap((side) => pair?.[side] ?? []);
  return half === undefined ? null : nameOf(half.record.contact);
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
  const entries = writes.map((write) => writeView(write, background));
  const now = bySide((side) => halfView(pair, side));
  const unsynced = bySide((side) => now[side].unsynced);
  const history: ContactHistory = {
    name: nameNow(pair) ?? entries.findLast(({ name }) => name !== null)?.name ?? null,
    status: pair?.status ?? 'unlinked',
    ...now,
    standings: standingsOf(pair, entries, unsynced, background.groupNames),
    entries,
    conflicts: (await store.conflicts(link, { all: false })).filter((row) => isOpen(row) && isOwn(row)),
    rejected: (await store.link(link)).rejections.filter(isOwn),
  };
  return { history, ids, isKnown: pair !== undefined || writes.length > 0 };
};

/**
 * The history of the contacts that the text names, by id, email address or name: what each run wrote on which side, from
 * what to what, and why. Empty where the store knows none; so many at `most`. Asks neither side.
 */
export const explainContact = async (
  store: Store,
  link: string,
  text: string,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly ContactHistory[]> => {
  const byId = await historyOf(store, link, text);
  if (byId.isKnown) return [byId.history];
  const seen = new Set<string>();
  const histories: ContactHistory[] = [];
  for (const id of await search(store, link, text)) {
    if (histories.length >= most) break;
    if (seen.has(id)) continue;
    const { history, ids } = await historyOf(store, link, id);
    for (const one of [id, ...ids]) seen.add(one);
    histories.push(history);
  }
  return histories;
};
