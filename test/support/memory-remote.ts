import type { CreateRequest, MembershipRequest, ReadAnswer, UpdateRequest } from '../../src/core/contact/requests.ts';
import type { Clock } from '../../src/util/clock.ts';
import type { Contact, ContactField, SyncedField } from '../../src/core/contact/contact.ts';
import { EMPTY_CONTACT, LIST_FIELDS, SCALAR_FIELDS, fieldsIn, valueIn } from '../../src/core/contact/contact.ts';
import { withBoundEntries } from '../../src/core/contact/bound-entries.ts';
import { listOf, withList } from '../../src/core/contact/lists.ts';
import { otherSide, type Side } from '../../src/core/contact/side.ts';
import { emailKey, phoneKey } from '../../src/core/contact/keys.ts';
import { wasMadeFor } from '../../src/core/contact/origin.ts';
import { contactOf, type ContactRecord, type Json } from '../../src/core/contact/record.ts';
import type { RemoteError, RemoteErrorOptions } from '../../src/providers/errors.ts';
import { InvalidError, NameTakenError, NotFoundError, StaleError } from '../../src/providers/errors.ts';
import type { Remote, WriteResult } from '../../src/providers/remote.ts';
import type { Book, Row } from './memory/book.ts';
import { groupRecordOf, isAsAnswered, noteAnswer, recordOf as read, shownAt } from './memory/book.ts';
import { feedOf } from './memory/feeds.ts';
import { writtenJobs } from './memory/jobs.ts';
import { receive, refusesNew, refusesTitle } from './memory/manners.ts';
import type { MemoryProvider } from './memory/providers.ts';

const recordOf = (row: Row): ContactRecord => {
  const record = read(row);
  noteAnswer(row, record);
  return record;
};

/** The record of a written contact; with a flaw, with the values that were sent. */
const answerOf = (row: Row, sent: Contact, flaw: AdapterFlaw | null): ContactRecord => {
  const { digest: _, ...record } = recordOf(row);
  return flaw === 'answers-as-sent' ? { ...record, contact: contactOf(sent), version: '' } : recordOf(row);
};

/** Receives each write, so that the simulation can check it. */
export type WriteObserver = {
  /** A create is requested for the contact `originId` of the other side. */
  creates(side: Side, originId: string): void;
  /** A contact was created for the contact `originId` of the other side. */
  created(side: Side, row: Row, originId: string): void;
  /** An update of a contact that a user deleted or archived is requested. */
  updatesDeleted(row: Row, fields: readonly SyncedField[]): void;
  /** A write replaced a value that the writer had never read, on a side without conditional writes. */
  overwrote(side: Side, before: Contact, after: Contact): void;
  /** The deletion of a contact that a read finds is requested. */
  deletes(side: Side): void;
  deleted(side: Side, row: Row): void;
  /** A group with this many members is deleted. */
  deletesGroup(side: Side, members: number): void;
  /** The side merged one contact into another; `after` is the new survivor. */
  merged(side: Side, survivor: Row, other: Row, after: Contact): void;
  /** A contact was deleted in a state that the writer had never read. */
  deletedUnread(side: Side, row: Row): void;
  wrote(side: Side): void;
  /** A write of these fields is requested; `row` is null for a create. */
  asks(side: Side, row: Row | null, fields: readonly SyncedField[]): void;
  /** Called when the side refuses an update because of a field. */
  refuses(row: Row, field: SyncedField): void;
  /** A write changed the contact from `before` to its current state. */
  delivered(side: Side, row: Row, before: Pick<Row, 'contact' | 'groupIds'>): void;
};

export type MemoryRemoteOptions = {
  readonly book: Book;
  readonly clock: Clock;
  /** The entity of a contact of the other side. */
  readonly entityOf: (side: Side, id: string) => number;
  /** The entity of the group with that name on the other side. */
  readonly groupEntityOf: (side: Side, name: string) => number;
  readonly observer: WriteObserver;
  /** Whether a stale etag is refused; false for one flaw. */
  readonly checksVersions: boolean;
  /** A former rule of the adapter. */
  readonly adapterFlaw: AdapterFlaw | null;
};

/** Former rules of an adapter, each of which the simulation must detect. */
export type AdapterFlaw =
  /** The answer to a write has the values that were sent, although the side stored others. */
  | 'answers-as-sent'
  /** A new contact that the side stores under its own id is not found by its origin. */
  | 'loses-renamed'
  /** A contact that the feed names as deleted is not read. */
  | 'trusts-feed';

const errorOptions = (status: number): RemoteErrorOptions => ({ status, route: 'memory', applied: 'no' });

const failed = (key: string, error: RemoteError) => ({ key, ok: false, error }) as const;

const extraOf = (raw: string): Json => {
  const { extra = null } = JSON.parse(raw) as { readonly extra?: Json };
  return extra;
};

const withFields = (held: Contact, desired: Contact, fields: readonly ContactField[]): Contact => {
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

/** Identifies a contact without an origin id: name, email addresses and phone numbers. */
const signature = (contact: Contact): string => {
  const emails = contact.emailAddresses.map((entry) => emailKey(entry.value)).toSorted();
  const phones = contact.phoneNumbers.map((entry) => phoneKey(entry.value)).toSorted();
  return JSON.stringify([contact.firstName, contact.lastName, emails, phones]);
};

/** The fields after a merge: the texts of the other contact where it has any, and its lists added or in place of the own ones. */
const mergedContact = (own: Contact, other: Contact, replaces: boolean): Contact => {
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

/** A remote in memory, with its provider. */
export type MemoryRemote = Remote & { readonly provider: MemoryProvider };

/** Creates a remote in memory with the behaviour of its book's provider. It never fails by itself. */
export const createMemoryRemote = (options: MemoryRemoteOptions): MemoryRemote => {
  const { adapterFlaw, book, clock, observer } = options;
  const { side, manners, provider } = book;
  const { checksVersions, keepsOriginIds } = provider;
  const invalid = () => new InvalidError('the remote does not take this title', errorOptions(400));
  const missing = () => new NotFoundError('no such contact', errorOptions(404));

  const compared = (id: string): Row | null => {
    const row = book.rows.find((candidate) => candidate.id === id);
    return row === undefined || row.state === 'deleted' || row.state === 'merged' ? null : row;
  };

  /** The result of a lagging read; undefined where it is the current state. */
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
    // For a merged contact, the answer does not report that the survivor is deleted.
    if (row?.id === id && row.state === 'deleted' && row.reported === 'no') row.reported = 'now';
    if (row === undefined || row.state === 'deleted' || row.state === 'merged') return { kind: 'gone' };
    return { kind: row.id === id ? 'found' : 'moved', record: recordOf(row) };
  };

  /** The contact that already has one of these email addresses. */
  const ownerOfEmail = (keys: ReadonlySet<string>): Row | undefined =>
    book.rows.find((row) => row.state === 'live' && !keys.isDisjointFrom(emailKeys(row.contact)));

  /** Whether an update is refused because another contact has one of its email addresses. */
  const isRefused = ({ current, desired, fields }: UpdateRequest): boolean => {
    if (book.habits.knownEmail !== 'refused' || !fields.includes('emailAddresses')) return false;
    return ownerOfEmail(emailKeys(desired).difference(emailKeys(current.contact))) !== undefined;
  };

  /** The answer to a create whose email address another contact has. */
  const answerKnown = ({ key, draft }: CreateRequest, known: Row): WriteResult<ContactRecord> => {
    if (book.habits.knownEmail === 'refused') {
      return failed(key, new InvalidError('another contact has this address', errorOptions(422)));
    }
    if (book.habits.knownEmail === 'existing-updated') {
      const given = Object.entries(draft).filter(([, value]) => value !== undefined && value.length > 0);
      book.write(known, { ...known.contact, ...Object.fromEntries(given) });
      observer.wrote(side);
    }
    return { key, ok: true, value: recordOf(known) };
  };

  const createOne = (request: CreateRequest): WriteResult<ContactRecord> => {
    if (refusesNew(manners, request.draft)) return failed(request.key, invalid());
    observer.asks(side, null, filledIn(request.draft));
    const entity = options.entityOf(otherSide(side), request.originId);
    observer.creates(side, request.originId);
    const known = book.habits.knownEmail === 'duplicate' ? undefined : ownerOfEmail(emailKeys(request.draft));
    if (known !== undefined) return answerKnown(request, known);
    const { originId, originScope } = request;
    const scoped = originScope === undefined ? {} : { originScope };
    const origin = keepsOriginIds && adapterFlaw !== 'loses-renamed' ? { originId, ...scoped } : { originId: null };
    const row = book.add({ contact: request.draft, extra: null, ...origin, entity });
    if (provider.capabilities.createsWithGroups)
      book.setGroups(
        row,
        request.groupIds.filter((id) => book.findGroup(id) !== undefined),
      );
    observer.created(side, row, request.originId);
    observer.delivered(side, row, NOTHING);
    observer.wrote(side);
    const value = answerOf(row, request.draft, adapterFlaw);
    // The side stores the contact under its own id, and the adapter searches for its origin.
    const isLost = book.habits.renamesNew && adapterFlaw === 'loses-renamed';
    return { key: request.key, ok: true, value: isLost ? { ...value, id: `${value.id}0000` } : value };
  };

  const updateOne = (request: UpdateRequest): WriteResult<ContactRecord> => {
    const { key, current, desired, fields } = request;
    const named = book.find(current.id);
    if (named?.state === 'archived' || named?.state === 'deleted') observer.updatesDeleted(named, fields);
    const row = compared(current.id);
    if (row === null) return failed(key, missing());
    if (checksVersions && options.checksVersions && String(row.version) !== current.version) {
      return failed(key, new StaleError('the etag is not the last one', errorOptions(400)));
    }
    if (isRefused(request)) return failed(key, new InvalidError('another contact has this address', errorOptions(422)));
    if (fields.includes('title') && refusesTitle(manners, desired.title)) {
      observer.refuses(row, 'title');
      return failed(key, invalid());
    }
    observer.asks(side, row, fields);
    const asked = { current, desired: withFields(row.contact, desired, fields) };
    const { contact: next, jobs } = writtenJobs(row, asked, fields);
    if (!checksVersions && !isSameIn(row.contact, current.contact, fields)) {
      observer.overwrote(side, row.contact, receive(manners, next));
    }
    // Fields are replaced completely: a value that the writer does not send is deleted.
    if (checksVersions || String(row.version) === current.version) row.extra = extraOf(current.raw);
    const before = { contact: row.contact, groupIds: row.groupIds };
    if (book.habits.writesUnarchive && row.state === 'archived') row.state = 'live';
    row.jobs = jobs;
    book.write(row, next);
    observer.delivered(side, row, before);
    observer.wrote(side);
    return { key, ok: true, value: withBoundEntries(answerOf(row, next, adapterFlaw), current) };
  };

  const moveOne = (request: MembershipRequest): WriteResult<readonly string[]> => {
    const row = compared(request.id);
    if (row === null) return failed(request.key, missing());
    if (request.add.some((id) => book.findGroup(id) === undefined)) return failed(request.key, invalid());
    observer.asks(side, row, ['buckets']);
    const removed = new Set(request.remove);
    const next = [...row.groupIds, ...request.add].filter((id) => !removed.has(id) && book.findGroup(id) !== undefined);
    const before = { contact: row.contact, groupIds: row.groupIds };
    book.setGroups(row, next);
    observer.delivered(side, row, before);
    observer.wrote(side);
    return { key: request.key, ok: true, value: [...row.groupIds].toSorted() };
  };

  const deleteOne = (id: string): WriteResult<null> => {
    const row = compared(id);
    if (row !== null && !isAsAnswered(row)) observer.deletedUnread(side, row);
    // The link deletes a contact that is gone already if a read that lags still finds it.
    if (row !== null || readOne(id).kind === 'found') observer.deletes(side);
    if (row !== null) {
      observer.deleted(side, row);
      book.remove(row, 'deleted');
      row.reported = 'now';
    }
    observer.wrote(side);
    return { key: id, ok: true, value: null };
  };

  /** The merge of the side: texts and lists of the other contact replace those of the survivor. */
  const mergeOne = (survivorId: string, id: string): WriteResult<ContactRecord> => {
    const [survivor, other] = [compared(survivorId), compared(id)];
    if (survivor === null || other === null) return failed(id, missing());
    const { replaces, archives } = book.habits.merge;
    const before = { contact: survivor.contact, groupIds: survivor.groupIds };
    survivor.groupIds = new Set([...survivor.groupIds, ...other.groupIds]);
    observer.deleted(side, other);
    const after = mergedContact(survivor.contact, other.contact, replaces);
    observer.merged(side, survivor, other, after);
    book.remove(other, archives ? 'archived' : 'deleted');
    other.reported = archives ? other.reported : 'now';
    book.write(survivor, after);
    observer.delivered(side, survivor, before);
    observer.wrote(side);
    return { key: id, ok: true, value: recordOf(survivor) };
  };

  const findCreated = (
    requests: readonly CreateRequest[],
    sinceMs: number,
    isTaken: (id: string) => boolean,
  ): Map<string, ContactRecord> => {
    // A side without a delay shows a new contact before the last search of a run.
    const isListed = (row: Row): boolean =>
      provider.capabilities.lagMs === 0 || shownAt(row, clock.now(), 'listing')?.state === 'live';
    const free = book.rows.filter((row) => row.state === 'live' && isListed(row) && !isTaken(row.id));
    const left = new Set(keepsOriginIds ? free : free.filter((row) => row.createdAtMs >= sinceMs - CLOCK_MARGIN_MS));
    const found = new Map<string, ContactRecord>();
    if (adapterFlaw === 'loses-renamed') return found;
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
    timeToSendMs: () => 0,
    identify: () => Promise.resolve(`account at ${side}`),
    pull: (request) => feedOf(book, clock, request, options.adapterFlaw === 'trusts-feed'),
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
      observer.wrote(side);
      return Promise.resolve(
        groupRecordOf(groupNamed(name) ?? book.addGroup(name, options.groupEntityOf(otherSide(side), name))),
      );
    },
    renameGroup: (given, name) => {
      const group = book.findGroup(given.id);
      const namesake = groupNamed(name);
      if (group === undefined) return Promise.reject(missing());
      if (provider.copiesRenamedGroups) {
        observer.wrote(side);
        return Promise.resolve(groupRecordOf(book.copyGroup(group, name)));
      }
      if (namesake !== undefined && namesake !== group) {
        return Promise.reject(new NameTakenError('the name is taken', errorOptions(409)));
      }
      observer.wrote(side);
      book.renameGroup(group, name);
      return Promise.resolve(groupRecordOf(group));
    },
    deleteGroup: (id) => {
      const group = book.findGroup(id);
      observer.wrote(side);
      if (group !== undefined) {
        observer.deletesGroup(side, book.membersOnlyOf(group).length);
        book.removeGroup(group);
      }
      return Promise.resolve();
    },
  };
};
