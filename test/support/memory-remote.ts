import type { CreateRequest, MembershipRequest, ReadAnswer, UpdateRequest } from '../../src/core/contact/requests.ts';
import type { Clock } from '../../src/util/clock.ts';
import {
  EMPTY_CONTACT,
  LIST_FIELDS,
  SCALAR_FIELDS,
  type Contact,
  fieldsIn,
  valueIn,
  type ContactField,
  type SyncedField,
} from '../../src/core/contact/contact.ts';
import { withBoundEntries } from '../../src/core/contact/bound-entries.ts';
import { listOf, withList } from '../../src/core/contact/lists.ts';
import { otherSide, type Side } from '../../src/core/contact/side.ts';
import { emailKey, phoneKey } from '../../src/core/contact/keys.ts';
import { wasMadeFor } from '../../src/core/contact/origin.ts';
import type { ContactRecord, Json } from '../../src/core/contact/record.ts';
import {
  InvalidError,
  NameTakenError,
  NotFoundError,
  StaleError,
  type RemoteError,
  type RemoteErrorOptions,
} from '../../src/providers/errors.ts';
import type { Remote, WriteResult } from '../../src/providers/remote.ts';
import {
  groupRecordOf,
  isAsAnswered,
  noteAnswer,
  recordOf as read,
  shownAt,
  type Book,
  type Row,
} from './memory/book.ts';
import { feedOf } from './memory/feeds.ts';
import { writtenJobs } from './memory/jobs.ts';
import { receive, refusesNew, refusesTitle } from './memory/manners.ts';
import type { MemoryProvider } from './memory/providers.ts';

const recordOf = (row: Row): ContactRecord => {
  const record = read(row);
  noteAnswer(row, record);
  return record;
};

/** What the simulation learns of each write, so that it can judge it. */
export type Witness = {
  /** A contact is asked for, for the contact `originId` of the other side. */
  creates(side: Side, originId: string): void;
  /** A contact was brought into being for the contact `originId` of the other side. */
  created(side: Side, row: Row, originId: string): void;
  /** Fields are asked to be written to a contact that a user deleted or archived. */
  updatesDeleted(row: Row, fields: readonly SyncedField[]): void;
  /** A write replaced something that the writer had never read: the side knows no conditional writes. */
  overwrote(side: Side, before: Contact, after: Contact): void;
  /** A deletion is asked for, of a contact that may be gone already. */
  deletes(side: Side): void;
  deleted(side: Side, row: Row): void;
  /** A group is deleted that has so many members. */
  deletesGroup(side: Side, members: number): void;
  /** The side merged one contact into another, with all that only the side knows of it; `after` is what the survivor becomes. */
  merged(side: Side, survivor: Row, other: Row, after: Contact): void;
  /** A contact was deleted in a state that the writer had never read. */
  deletedUnread(side: Side, row: Row): void;
  wrote(side: Side): void;
  /** A write brings these fields to a side; null: with a new contact. */
  asks(side: Side, row: Row | null, fields: readonly SyncedField[]): void;
  /** A write changed the contact from what stood there to what stands there now. */
  delivered(side: Side, row: Row, before: Pick<Row, 'contact' | 'groupIds'>): void;
};

export type MemoryRemoteOptions = {
  readonly book: Book;
  readonly clock: Clock;
  /** The entity of a contact of the other side. */
  readonly entityOf: (side: Side, id: string) => number;
  /** The entity of the group of that name at the other side. */
  readonly groupEntityOf: (side: Side, name: string) => number;
  readonly witness: Witness;
  /** Whether a stale etag is refused; a flaw switches it off. */
  readonly checksVersions: boolean;
};

const errorOptions = (status: number): RemoteErrorOptions => ({ status, route: 'memory', applied: 'no' });

const failed = (key: string, error: RemoteError) => ({ key, ok: false, error }) as const;

const extraOf = (raw: string): Json => {
  const { extra = null } = JSON.parse(raw) as { readonly extra?: Json };
  return extra;
};

const overlaid = (held: Contact, desired: Contact, fields: readonly ContactField[]): Contact => {
  return { ...held, ...Object.fromEntries(fields.map((field) => [field, desired[field]])) };
};

const filledIn = (draft: Contact): readonly ContactField[] =>
  fieldsIn(draft).filter((field) => valueIn(draft, field).length > 0);

const isSameIn = (a: Contact, b: Contact, fields: readonly ContactField[]): boolean => {
  return fields.every((field) => JSON.stringify(a[field]) === JSON.stringify(b[field]));
};

const emailKeys = (contact: Contact): ReadonlySet<string> => {
  return new Set(contact.emailAddresses.map((entry) => emailKey(entry.value)));
};

/** What a contact is found again by where it keeps no origin id: name, email addresses and phone numbers. */
const signature = (contact: Contact): string => {
  const emails = contact.emailAddresses.map((entry) => emailKey(entry.value)).toSorted();
  const phones = contact.phoneNumbers.map((entry) => phoneKey(entry.value)).toSorted();
  return JSON.stringify([contact.firstName, contact.lastName, emails, phones]);
};

/** Two contacts' fields after a merge: the other one's texts where it has any, and lists united or replaced. */
const mixed = (own: Contact, other: Contact, replaces: boolean): Contact => {
  let contact = own;
  for (const field of SCALAR_FIELDS) contact = { ...contact, [field]: other[field] || own[field] };
  for (const field of LIST_FIELDS) {
    const [mine, theirs] = [listOf(own, field), listOf(other, field)];
    const isReplaced = replaces && theirs.length > 0;
    contact = withList(contact, field, isReplaced ? theirs : [...mine, ...theirs]);
  }
  return contact;
};

const NOTHING = { contact: EMPTY_CONTACT, groupIds: new Set<string>() };

const CLOCK_MARGIN_MS = 5 * 60_000;

/** A remote in memory, and the provider that it behaves like. */
export type MemoryRemote = Remote & { readonly provider: MemoryProvider };

/** A remote in memory that behaves like the provider of its book; it never fails by itself. */
export const createMemoryRemote = (options: MemoryRemoteOptions): MemoryRemote => {
  const { book, clock, witness } = options;
  const { side, manners, provider } = book;
  const { checksVersions, keepsOriginIds } = provider;
  const invalid = () => new InvalidError('the remote does not take this title', errorOptions(400));
  const missing = () => new NotFoundError('no such contact', errorOptions(404));

  const standing = (id: string): Row | null => {
    const row = book.rows.find((candidate) => candidate.id === id);
    return row === undefined || row.state === 'deleted' || row.state === 'merged' ? null : row;
  };

  /** What a read that lags behind shows of the contact; undefined where it shows what stands. */
  const readLate = (row: Row, id: string): ReadAnswer | undefined => {
    const shown = shownAt(row, clock.now(), 'listing');
    if (shown === null) return { kind: 'gone' };
    if (shown.state !== 'live') return undefined;
    noteAnswer(row, shown.record);
    return { kind: shown.record.id === id ? 'found' : 'moved', record: shown.record };
  };

  const readOne = (id: string): ReadAnswer => {
    let row = book.find(id);
    const late = row === undefined || !book.readsLag ? undefined : readLate(row, id);
    if (late !== undefined) return late;
    while (row?.state === 'merged' && row.mergedInto !== null) row = row.mergedInto;
    // Of a contact that went into another one, the answer does not tell that the other is deleted.
    if (row?.id === id && row.state === 'deleted' && row.told === 'no') row.told = 'now';
    if (row === undefined || row.state === 'deleted' || row.state === 'merged') return { kind: 'gone' };
    return { kind: row.id === id ? 'found' : 'moved', record: recordOf(row) };
  };

  /** The contact that holds one of these email addresses already. */
  const holderOf = (keys: ReadonlySet<string>): Row | undefined =>
    book.rows.find((row) => row.state === 'live' && !keys.isDisjointFrom(emailKeys(row.contact)));

  /** Whether an update brings a contact an email address that is another one's, where that is refused. */
  const isRefused = ({ current, desired, fields }: UpdateRequest): boolean => {
    if (book.habits.knownEmail !== 'refused' || !fields.includes('emailAddresses')) return false;
    return holderOf(emailKeys(desired).difference(emailKeys(current.contact))) !== undefined;
  };

  /** The answer to a create whose email address that contact holds. */
  const answerKnown = ({ key, draft }: CreateRequest, known: Row): WriteResult<ContactRecord> => {
    if (book.habits.knownEmail === 'refused') {
      return failed(key, new InvalidError('another contact has this address', errorOptions(422)));
    }
    if (book.habits.knownEmail === 'existing-updated') {
      const given = Object.entries(draft).filter(([, value]) => value !== undefined && value.length > 0);
      book.write(known, { ...known.contact, ...Object.fromEntries(given) });
      witness.wrote(side);
    }
    return { key, ok: true, value: recordOf(known) };
  };

  const createOne = (request: CreateRequest): WriteResult<ContactRecord> => {
    if (refusesNew(manners, request.draft)) return failed(request.key, invalid());
    witness.asks(side, null, filledIn(request.draft));
    const entity = options.entityOf(otherSide(side), request.originId);
    witness.creates(side, request.originId);
    const known = book.habits.knownEmail === 'duplicate' ? undefined : holderOf(emailKeys(request.draft));
    if (known !== undefined) return answerKnown(request, known);
    const { originId, originScope } = request;
    const scoped = originScope === undefined ? {} : { originScope };
    const origin = keepsOriginIds ? { originId, ...scoped } : { originId: null };
    const row = book.add({ contact: request.draft, extra: null, ...origin, entity });
    if (provider.capabilities.createsWithGroups)
      book.setGroups(
        row,
        request.groupIds.filter((id) => book.findGroup(id) !== undefined),
      );
    witness.created(side, row, request.originId);
    witness.delivered(side, row, NOTHING);
    witness.wrote(side);
    return { key: request.key, ok: true, value: recordOf(row) };
  };

  const updateOne = (request: UpdateRequest): WriteResult<ContactRecord> => {
    const { key, current, desired, fields } = request;
    const named = book.find(current.id);
    if (named?.state === 'archived' || named?.state === 'deleted') witness.updatesDeleted(named, fields);
    const row = standing(current.id);
    if (row === null) return failed(key, missing());
    if (checksVersions && options.checksVersions && String(row.version) !== current.version) {
      return failed(key, new StaleError('the etag is not the last one', errorOptions(400)));
    }
    if (isRefused(request)) return failed(key, new InvalidError('another contact has this address', errorOptions(422)));
    if (fields.includes('title') && refusesTitle(manners, desired.title)) return failed(key, invalid());
    witness.asks(side, row, fields);
    const asked = { current, desired: overlaid(row.contact, desired, fields) };
    const { contact: next, jobs } = writtenJobs(row, asked, fields);
    if (!checksVersions && !isSameIn(row.contact, current.contact, fields)) {
      witness.overwrote(side, row.contact, receive(manners, next));
    }
    // Fields are replaced whole: what the writer does not send back is gone.
    if (checksVersions || String(row.version) === current.version) row.extra = extraOf(current.raw);
    const before = { contact: row.contact, groupIds: row.groupIds };
    if (book.habits.writesUnarchive && row.state === 'archived') row.state = 'live';
    row.jobs = jobs;
    book.write(row, next);
    witness.delivered(side, row, before);
    witness.wrote(side);
    return { key, ok: true, value: withBoundEntries(recordOf(row), current) };
  };

  const moveOne = (request: MembershipRequest): WriteResult<readonly string[]> => {
    const row = standing(request.id);
    if (row === null) return failed(request.key, missing());
    if (request.add.some((id) => book.findGroup(id) === undefined)) return failed(request.key, invalid());
    witness.asks(side, row, ['buckets']);
    const removed = new Set(request.remove);
    const next = [...row.groupIds, ...request.add].filter((id) => !removed.has(id) && book.findGroup(id) !== undefined);
    const before = { contact: row.contact, groupIds: row.groupIds };
    book.setGroups(row, next);
    witness.delivered(side, row, before);
    witness.wrote(side);
    return { key: request.key, ok: true, value: [...row.groupIds].toSorted() };
  };

  const deleteOne = (id: string): WriteResult<null> => {
    const row = standing(id);
    witness.deletes(side);
    if (row !== null && !isAsAnswered(row)) witness.deletedUnread(side, row);
    if (row !== null) {
      witness.deleted(side, row);
      book.remove(row, 'deleted');
      row.told = 'now';
    }
    witness.wrote(side);
    return { key: id, ok: true, value: null };
  };

  /** The side's own merge: texts and lists of the other contact go over the survivor's. */
  const mergeOne = (survivorId: string, id: string): WriteResult<ContactRecord> => {
    const [survivor, other] = [standing(survivorId), standing(id)];
    if (survivor === null || other === null) return failed(id, missing());
    const { replaces, archives } = book.habits.merge;
    const before = { contact: survivor.contact, groupIds: survivor.groupIds };
    survivor.groupIds = new Set([...survivor.groupIds, ...other.groupIds]);
    witness.deleted(side, other);
    const after = mixed(survivor.contact, other.contact, replaces);
    witness.merged(side, survivor, other, after);
    book.remove(other, archives ? 'archived' : 'deleted');
    other.told = archives ? other.told : 'now';
    book.write(survivor, after);
    witness.delivered(side, survivor, before);
    witness.wrote(side);
    return { key: id, ok: true, value: recordOf(survivor) };
  };

  const findCreated = (
    requests: readonly CreateRequest[],
    sinceMs: number,
    isTaken: (id: string) => boolean,
  ): Map<string, ContactRecord> => {
    const free = book.rows.filter((row) => row.state === 'live' && !isTaken(row.id));
    const left = new Set(keepsOriginIds ? free : free.filter((row) => row.createdAtMs >= sinceMs - CLOCK_MARGIN_MS));
    const found = new Map<string, ContactRecord>();
    for (const request of requests) {
      const draft = signature(receive(manners, request.draft));
      const row = [...left].find((candidate) => {
        if (!keepsOriginIds) return signature(candidate.contact) === draft;
        const { originId: id, originScope: scope, draft: contact } = request;
        return wasMadeFor(recordOf(candidate), { id, scope, contact });
      });
      if (row === undefined) continue;
      left.delete(row);
      found.set(request.key, recordOf(row));
    }
    return found;
  };

  const groupNamed = (name: string) => {
    return book.groups.find((group) => group.live && group.name.toLowerCase() === name.toLowerCase());
  };

  return {
    provider,
    capabilities: provider.capabilities,
    requestCount: () => 0,
    identify: () => Promise.resolve(`account at ${side}`),
    pull: (request) => feedOf(book, clock, request),
    read: (ids) => Promise.resolve(new Map(ids.map((id) => [id, readOne(id)]))),
    create: (batch) => Promise.resolve(batch.map(createOne)),
    update: (batch) => Promise.resolve(batch.map(updateOne)),
    delete: (ids) => Promise.resolve(ids.map(deleteOne)),
    ...(provider.mergesContacts && {
      merge: (survivorId: string, id: string) => Promise.resolve(mergeOne(survivorId, id)),
    }),
    changeMembership: (batch) => Promise.resolve(batch.map(moveOne)),
    findCreated: (requests, sinceMs, isTaken) => Promise.resolve(findCreated(requests, sinceMs, isTaken)),
    listGroups: () => Promise.resolve(book.groups.filter((group) => group.live).map(groupRecordOf)),
    readGroup: (id) => {
      const group = book.findGroup(id);
      return Promise.resolve(group === undefined ? null : groupRecordOf(group));
    },
    createGroup: (name) => {
      witness.wrote(side);
      return Promise.resolve(
        groupRecordOf(groupNamed(name) ?? book.addGroup(name, options.groupEntityOf(otherSide(side), name))),
      );
    },
    renameGroup: (given, name) => {
      const group = book.findGroup(given.id);
      const namesake = groupNamed(name);
      if (group === undefined) return Promise.reject(missing());
      if (namesake !== undefined && namesake !== group) {
        return Promise.reject(new NameTakenError('the name is taken', errorOptions(409)));
      }
      witness.wrote(side);
      book.renameGroup(group, name);
      return Promise.resolve(groupRecordOf(group));
    },
    deleteGroup: (id) => {
      const group = book.findGroup(id);
      witness.wrote(side);
      if (group !== undefined) {
        witness.deletesGroup(side, book.rows.filter(({ groupIds }) => groupIds.has(id)).length);
        book.removeGroup(group);
      }
      return Promise.resolve();
    },
  };
};
