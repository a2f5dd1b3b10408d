import type { ReadAnswer } from '../../core/contact/requests.ts';
import { USUAL_FIELDS } from '../../core/contact/contact.ts';
import type { RemoteOptions } from '../provider.ts';
import { orRefusal } from '../write-results.ts';
import type { Remote, RemoteCapabilities } from '../remote.ts';
import type { Credentials } from './authorization.ts';
import type { BookContext } from './book.ts';
import { readCards, type CardReading } from './cards.ts';
import { cardMapping } from './card/card-mapping.ts';
import { findAddressBook, addressBookName, type AddressBook } from './discovery.ts';
import { pullContacts } from './pull.ts';
import { isGroupCard, listGroupCards } from './group-cards.ts';
import { createGroup, deleteGroup, listGroups, readGroup, renameGroup } from './groups.ts';
import { changeMembership } from './membership.ts';
import { findCreated, originMarks } from './find-created.ts';
import { createContacts, deleteContacts, updateContacts } from './push.ts';
import { cardGroupsOf, createRecords, membershipsIn, type Memberships, type Records } from './mapper.ts';
import { createSendDav } from './send.ts';

export type CarddavRemoteOptions = RemoteOptions &
  Credentials & {
    readonly url: string;
    /** The name, path or URL of the address book; null: the only one. */
    readonly addressbook: string | null;
    readonly groupStyle: BookContext['groupStyle'];
  };

const WRITES_PER_BATCH = 50;

const CAPABILITIES: RemoteCapabilities = {
  createBatch: WRITES_PER_BATCH,
  updateBatch: WRITES_PER_BATCH,
  deleteBatch: WRITES_PER_BATCH,
  readBatch: 100,
  writeConcurrency: 1,
  writesOneByOne: true,
  moveBatch: { size: 100, of: 'all' },
  createsWithGroups: false,
  mayForbidSharedEmails: false,
  namesDeletions: true,
  cursorsExpire: false,
  confirmsAbsenceAfter: null,
  settlesWithinMs: 0,
  writesConditionally: true,
};

/** Caches the result of a lookup. A failed lookup is repeated on the next call. */
const once = <Value>(look: (signal: AbortSignal) => Promise<Value>): ((signal: AbortSignal) => Promise<Value>) => {
  let found: Promise<Value> | null = null;
  return async (signal) => {
    signal.throwIfAborted();
    const current = found ?? look(signal);
    found = current;
    try {
      return await current;
    } catch (error) {
      if (found === current) found = null;
      throw error;
    }
  };
};

const answerOf = (records: Records, reading: CardReading, memberships: Memberships): ReadAnswer => {
  if (reading.kind !== 'card') return reading;
  const { card } = reading.stored;
  if (isGroupCard(card)) return { kind: 'gone' };
  const record = records.recordOf(reading.stored, cardGroupsOf(card, memberships));
  return { kind: 'found', record };
};

/** Returns the address book of a link. */
const openBook = (options: CarddavRemoteOptions) => {
  const { url, addressbook, fields = USUAL_FIELDS, groupStyle } = options;
  const send = createSendDav(options);
  const find = once<AddressBook>((signal) => findAddressBook({ send, url, addressbook }, signal));
  const context: BookContext = {
    send,
    mapping: cardMapping(fields),
    groupStyle,
    find,
    categories: { names: new Set(), deleted: new Set(), refusing: new Set(), isComplete: false },
    search: { isSupported: true, groupIds: null, unread: new Set() },
    storage: { isExact: false, keepsNames: false },
    versions: new Map(),
  };
  const records = createRecords(context.mapping);
  return {
    context,
    records,
    read: async (ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, ReadAnswer>> => {
      const readings = await readCards(context, ids, signal);
      const memberships = membershipsIn(readings.size === 0 ? [] : await listGroupCards(context, signal));
      return new Map([...readings].map(([id, reading]) => [id, answerOf(records, reading, memberships)]));
    },
  };
};

/** Creates the {@link Remote} of an address book on a CardDAV server. */
export const createCarddavRemote = (options: CarddavRemoteOptions): Remote => {
  const book = openBook(options);
  const { context } = book;
  return {
    capabilities: CAPABILITIES,
    requestCount: options.requestCount,
    ...(options.timeToSendMs && { timeToSendMs: options.timeToSendMs }),
    identify: async (signal) => (await context.find(signal)).url,
    readOnlyReason: async (signal) => {
      const found = await context.find(signal);
      return found.isWritable
        ? null
        : `the account may only read the address book "${addressBookName(found)}"; it is not written`;
    },
    pull: (request, signal) => pullContacts(book, request, signal),
    read: book.read,
    create: (batch, signal) => orRefusal(createContacts(book, batch, signal)),
    update: (batch, signal) => orRefusal(updateContacts(book, batch, signal)),
    delete: (ids, signal) => orRefusal(deleteContacts(context, ids, signal)),
    changeMembership: (batch, signal) => orRefusal(changeMembership(book, batch, signal)),
    findCreated: (requests, _sinceMs, isTaken, signal) => findCreated(book, requests, isTaken, signal),
    originMarks: (originIds, originScope, signal) => originMarks(book, originIds, originScope, signal),
    listGroups: (signal) => listGroups(context, signal),
    readGroup: (id, signal) => readGroup(context, id, signal),
    createGroup: (name, signal) => createGroup(context, name, signal),
    renameGroup: (group, name, signal) => renameGroup(context, group, name, signal),
    deleteGroup: (id, signal) => deleteGroup(context, id, signal),
  };
};
