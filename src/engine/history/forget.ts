import type { JournalRow, LinkState, RunRow, StoreChange } from '../../core/state/rows.ts';
import { EMPTY_CONTACT, type Contact } from '../../core/contact/contact.ts';
import type { Half } from '../../core/contact/half.ts';
import { emailKey, phoneKey } from '../../core/contact/keys.ts';
import { foldText } from '../../core/contact/names.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import {
  beforeOf,
  desiredOf,
  destroys,
  emptiesOf,
  fieldsOf,
  operationKind,
  originOf,
} from '../../core/reconcile/operation.ts';
import type { Store } from '../../store/store.ts';
import { DAY_MS } from '../context.ts';
import { idsIn, writtenId } from './follow.ts';

const PAGE = 1_000;

/** The state of a contact at some time, from a half or a journal entry. */
type Image = { readonly id: string; readonly contact: Contact };

/** Everything stored of a link that may name people. */
type Stored = {
  readonly halves: readonly Half[];
  readonly entries: readonly JournalRow[];
  readonly runs: readonly RunRow[];
  readonly state: LinkState;
};

const load = async (store: Store, link: string): Promise<Stored> => {
  const entries: JournalRow[] = [];
  for (;;) {
    const page = await store.journal(link, { fromId: (entries.at(-1)?.id ?? -1) + 1, limit: PAGE });
    if (page.length === 0) break;
    entries.push(...page);
  }
  return {
    halves: await store.halves(link, { by: 'all' }),
    entries,
    runs: await store.runs(link, { idPrefix: '' }),
    state: await store.link(link),
  };
};

const imagesOf = (row: JournalRow): readonly Image[] => {
  const records = [beforeOf(row), row.after, originOf(row)].filter((record) => record !== null);
  const desiredId = writtenId(row) || (idsIn(row)[0] ?? '');
  const desired = desiredOf(row);
  return [...records, ...(desired === null ? [] : [{ id: desiredId, contact: desired }])];
};

const wordsOf = (text: string): string => foldText(text).split(' ').toSorted().join(' ');

/** Returns whether the text is an address or number (`address`), or the name of the contact; null if it is neither. */
const isNamed = (
  text: string,
  { firstName, lastName, emailAddresses, phoneNumbers }: Contact,
): 'address' | 'name' | null => {
  if (emailAddresses.some(({ value }) => emailKey(value) === emailKey(text))) return 'address';
  if (phoneNumbers.some(({ value }) => phoneKey(value) === phoneKey(text))) return 'address';
  const words = wordsOf(text);
  return words !== '' && wordsOf(`${firstName} ${lastName}`) === words ? 'name' : null;
};

/** The ids in an entry, including that of a merge survivor: its image is in the entry of the merge (R12). */
const namedIn = (row: JournalRow): readonly string[] => {
  const origin = originOf(row);
  return origin === null ? idsIn(row) : [...idsIn(row), origin.id];
};

/** Groups the ids of one person: those in the same journal entry, and the halves of a pair. */
const groupIds = ({ halves, entries }: Stored): ((id: string) => ReadonlySet<string>) => {
  const groups = new Map<string, Set<string>>();
  const join = (ids: readonly string[]): void => {
    const joined = new Set(ids.flatMap((id) => [...(groups.get(id) ?? [id])]));
    for (const id of joined) groups.set(id, joined);
  };
  for (const row of entries) join(namedIn(row));
  const pairs = Map.groupBy(halves, ({ pair, id }) => pair ?? id);
  for (const own of pairs.values()) join(own.map(({ id }) => id));
  return (id) => groups.get(id) ?? new Set([id]);
};

/** The stored data of a person in one link to delete, and the obstacles to the deletion. */
export type Forgetting = {
  /** The ids that the person had on either side. */
  readonly ids: readonly string[];
  /** Halves that exist on their side: the next run would store them again. */
  readonly standing: readonly Half[];
  /** Whether a deletion of the contact, or a write to it, is not finished. */
  readonly isPending: boolean;
  readonly entries: number;
  /** The time until which the ids are stored as deleted, in epoch milliseconds; null if they are removed at once. */
  readonly idsKeptUntilMs: number | null;
  /** Texts that may identify the person elsewhere, such as in the reason of a run. */
  readonly texts: readonly string[];
  readonly changes: readonly StoreChange[];
};

const textsOf = (images: readonly Image[]): readonly string[] => {
  const texts = images.flatMap(({ contact }) => {
    const { firstName, lastName, emailAddresses, phoneNumbers } = contact;
    const names = firstName !== '' && lastName !== '' ? [`${firstName} ${lastName}`] : [];
    return [...names, ...[...emailAddresses, ...phoneNumbers].map(({ value }) => value)];
  });
  return [...new Set(texts)].filter((text) => text !== '');
};

const BLANK_RECORD: Omit<ContactRecord, 'id'> = {
  version: '',
  modifiedAtMs: null,
  contact: EMPTY_CONTACT,
  groupIds: [],
  raw: '{}',
  originId: null,
};

/** Deletes an entry. An entry with losses that the guard counts for the day is kept without its contact (R8). */
const forgetEntry = (row: JournalRow, nowMs: number): StoreChange => {
  const isCounted = destroys(row) && row.state === 'done' && row.intendedAtMs >= nowMs - DAY_MS;
  if (!isCounted) return { kind: 'drop', table: 'journal', where: { id: row.id } };
  const { id, side, cause } = row;
  const address = { side, cause, pairId: null, leftId: null, rightId: null };
  const kept = { was: operationKind(row), fields: fieldsOf(row), empties: emptiesOf(row) };
  return { kind: 'redact-entry', id, operation: { ...address, kind: 'incomplete', ...kept, lacks: 'its values' } };
};

/** Deletes a half. The id of one reported within the last day is kept: a feed or a listing may lag and show the contact (R7). */
const forgetHalf = (half: Half, nowMs: number): StoreChange => {
  if (half.heardAtMs < nowMs - DAY_MS)
    return { kind: 'drop', table: 'halves', where: { side: half.side, id: half.id } };
  const record = { ...BLANK_RECORD, id: half.id };
  return { kind: 'put-half', half: { ...half, record, base: null, mergedInto: null }, digest: null };
};

const without = (text: string, texts: readonly string[]): string =>
  texts.reduce((rest, each) => rest.replaceAll(each, '(forgotten)'), text);

/** Removes the person from all rows other than the contact's own halves and entries. */
const forgetMentions = (
  stored: Stored,
  {
    ids,
    texts,
    nowMs,
  }: { readonly ids: ReadonlySet<string>; readonly texts: readonly string[]; readonly nowMs: number },
): readonly StoreChange[] => {
  const { entries, runs, state } = stored;
  const names = [...ids, ...texts];
  const members = entries.flatMap((row): StoreChange[] => {
    if (row.kind !== 'group-delete' || !row.group.members.some((member) => ids.has(member))) return [];
    const group = { ...row.group, members: row.group.members.filter((member) => !ids.has(member)) };
    return [{ kind: 'redact-entry', id: row.id, operation: { ...row, group } }];
  });
  const reasons = runs.flatMap((run): StoreChange[] => {
    const clean = run.reason === null ? null : without(run.reason, names);
    // The summary may contain the reason: only these values of it are kept.
    const { id, undoes, override, repaired, wrote } = run;
    const summary = { undoes, override, repaired, ...wrote };
    return clean === run.reason ? [] : [{ kind: 'patch-run', id, set: { reason: clean, summary } }];
  });
  const own = state.reason === null ? null : without(state.reason, names);
  const isOwn = (rejection: LinkState['rejections'][number]): boolean =>
    [rejection.leftId, rejection.rightId, ...rejection.key.split(' ')].some((id) => id !== null && ids.has(id));
  const refusals = state.rejections
    .filter(isOwn)
    .map(({ side, key }): StoreChange => ({ kind: 'drop', table: 'rejections', where: { side, key } }));
  const verdicts = state.verdicts
    .filter(({ leftId, rightId }) => ids.has(leftId) || ids.has(rightId))
    .map(({ leftId, rightId }): StoreChange => ({ kind: 'drop', table: 'verdicts', where: { leftId, rightId } }));
  return [
    ...members,
    ...reasons,
    ...refusals,
    ...verdicts,
    { kind: 'link', patch: { reason: own, forgottenAtMs: nowMs } },
  ];
};

const planPerson = async (
  store: Store,
  link: string,
  stored: Stored,
  ids: ReadonlySet<string>,
  nowMs: number,
): Promise<Forgetting> => {
  const halves = stored.halves.filter(({ id }) => ids.has(id));
  const entries = stored.entries.filter((row) => idsIn(row).some((id) => ids.has(id)));
  const texts = textsOf([
    ...halves.map(({ id, record }) => ({ id, contact: record.contact })),
    ...entries.flatMap(imagesOf).filter(({ id }) => ids.has(id)),
  ]);
  const conflicts = (await store.conflicts(link, { all: true })).filter(
    ({ leftId, rightId }) => ids.has(leftId) || ids.has(rightId),
  );
  const recent = halves.filter(({ heardAtMs }) => heardAtMs >= nowMs - DAY_MS);
  return {
    ids: [...ids],
    standing: halves.filter(({ state }) => state !== 'gone'),
    isPending: halves.some(({ pair }) => pair !== null) || entries.some(({ state }) => state === 'intended'),
    entries: entries.length,
    idsKeptUntilMs: recent.length === 0 ? null : Math.max(...recent.map(({ heardAtMs }) => heardAtMs)) + DAY_MS,
    texts,
    changes: [
      ...entries.map((row) => forgetEntry(row, nowMs)),
      ...halves.map((half) => forgetHalf(half, nowMs)),
      ...[...new Set(conflicts.map(({ leftId }) => leftId))].map((leftId): StoreChange => {
        return { kind: 'drop', table: 'conflicts', where: { leftId } };
      }),
      ...forgetMentions(stored, { ids, texts, nowMs }),
    ],
  };
};

/**
 * Returns the stored data of the people that match the text by id, email address, phone number or whole name, each with the
 * changes that delete it. Several people may have the same name. All contacts with the same address count as one person.
 */
export const planForgetting = async (
  store: Store,
  link: string,
  who: string,
  nowMs: number,
): Promise<readonly Forgetting[]> => {
  const stored = await load(store, link);
  const groupOf = groupIds(stored);
  const images = [
    ...stored.halves.map(({ id, record }): Image => ({ id, contact: record.contact })),
    ...stored.entries.flatMap(imagesOf),
  ];
  const judged = stored.state.verdicts.flatMap(({ leftId, rightId }) => [leftId, rightId]);
  const known = new Set([...images.map(({ id }) => id), ...stored.entries.flatMap(idsIn), ...judged]);
  const named = images.map(({ id, contact }) => ({ id, as: isNamed(who, contact) }));
  const byAddress = named.filter(({ as }) => as === 'address').map(({ id }) => groupOf(id));
  const byName = named.filter(({ as }) => as === 'name').map(({ id }) => groupOf(id));
  const persons = known.has(who)
    ? [groupOf(who)]
    : byAddress.length > 0
      ? [new Set(byAddress.flatMap((ids) => [...ids]))]
      : [...new Set(byName)];
  return Promise.all(persons.map((ids) => planPerson(store, link, stored, ids, nowMs)));
};
