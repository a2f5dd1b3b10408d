import type { ReadAnswer } from '../../core/contact/requests.ts';
import { USUAL_FIELDS } from '../../core/contact/contact.ts';
import { keepResult } from '../../util/share.ts';
import type { RemoteOptions } from '../provider.ts';
import { orRefusal } from '../write-results.ts';
import type { Remote, RemoteCapabilities } from '../remote.ts';
import type { Credentials } from './authorization.ts';
import { type BookContext, noteCategories } from './book.ts';
import { readCards, type CardReading } from './cards.ts';
import { cardMapping } from './card/card-mapping.ts';
import { findAddressBook, addressBookName } from './discovery.ts';
import { pullContacts } from './pull.ts';
import { isGroupCard } from './group-cards.ts';
import { createGroup, deleteGroup, listGroups, readGroup, renameGroup } from './groups.ts';
import { changeMembership } from './membership.ts';
import { findCreated, originMarks } from './find-created.ts';
import { createContacts, deleteContacts, updateContacts } from './push.ts';
import { cardGroupsOf, createRecords, membershipsIn, type Memberships } from './mapper.ts';
import { listGroupCards } from './search.ts';
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
  writeBatch: WRITES_PER_BATCH,
  readBatch: 100,
  writesOneByOne: true,
  moveBatch: { size: 100, of: 'all' },
  createsWithGroups: false,
  mayForbidSharedEmails: false,
  namesDeletions: true,
  cursorsExpire: false,
  confirmsAbsenceAfter: null,
  lagMs: 0,
  writesConditionally: true,
};

const answerOf = ({ records }: BookContext, reading: CardReading, memberships: Memberships): ReadAnswer => {
  if (reading.kind !== 'card') return reading;
  const { card } = reading.stored;
  if (isGroupCard(card)) return { kind: 'gone' };
  const record = records.recordOf(reading.stored, cardGroupsOf(card, memberships));
  return { kind: 'found', record };
};

const readContacts = async (context: BookContext, ids: readonly string[]): Promise<ReadonlyMap<string, ReadAnswer>> => {
  const readings = await readCards(context, ids);
  const memberships = membershipsIn(readings.size === 0 ? [] : await listGroupCards(context));
  const answers = [...readings].map(([id, reading]) => [id, answerOf(context, reading, memberships)] as const);
  noteCategories(
    context,
    answers.flatMap(([, answer]) => (answer.kind === 'found' ? answer.record.groupIds : [])),
  );
  return new Map(answers);
};

/** Returns the function that opens the address book of a link for one operation. The address book is looked up once. */
const createOpenBook = (options: CarddavRemoteOptions): ((signal: AbortSignal) => Promise<BookContext>) => {
  const { url, addressbook, fields = USUAL_FIELDS, groupStyle } = options;
  const sendFor = createSendDav(options);
  const find = keepResult((signal: AbortSignal) => findAddressBook({ send: sendFor(signal), url, addressbook }));
  const mapping = cardMapping(fields);
  const shared: Omit<BookContext, 'book' | 'send'> = {
    mapping,
    records: createRecords(mapping),
    groupStyle,
    categories: { names: new Set(), deleted: new Set(), refusing: new Set(), isComplete: false },
    search: { isSupported: true, groupIds: null, unread: new Set() },
    storage: { isExact: false, keepsNames: false },
    versions: new Map(),
  };
  return async (signal) => {
    signal.throwIfAborted();
    return { ...shared, send: sendFor(signal), book: await find(signal) };
  };
};

/** Creates the {@link Remote} of an address book on a CardDAV server. */
export const createCarddavRemote = (options: CarddavRemoteOptions): Remote => {
  const open = createOpenBook(options);
  return {
    capabilities: CAPABILITIES,
    requestCount: options.requestCount,
    timeToSendMs: options.timeToSendMs,
    identify: async (signal) => (await open(signal)).book.url,
    readOnlyReason: async (signal) => {
      const { book } = await open(signal);
      return book.isWritable
        ? null
        : `the account may only read the address book "${addressBookName(book)}"; it is not written`;
    },
    async *pull(request, signal) {
      yield* pullContacts(await open(signal), request);
    },
    read: async (ids, signal) => readContacts(await open(signal), ids),
    create: async (batch, signal) => orRefusal(createContacts(await open(signal), batch)),
    update: async (batch, signal) => orRefusal(updateContacts(await open(signal), batch)),
    delete: async (ids, signal) => orRefusal(deleteContacts(await open(signal), ids)),
    changeMembership: async (batch, signal) => orRefusal(changeMembership(await open(signal), batch)),
    findCreated: async (requests, _sinceMs, isTaken, signal) => findCreated(await open(signal), requests, isTaken),
    originMarks: async (originIds, originScope, signal) => originMarks(await open(signal), originIds, originScope),
    listGroups: async (signal) => listGroups(await open(signal)),
    readGroup: async (id, signal) => readGroup(await open(signal), id),
    createGroup: async (name, signal) => createGroup(await open(signal), name),
    renameGroup: async (group, name, signal) => renameGroup(await open(signal), group, name),
    deleteGroup: async (id, signal) => deleteGroup(await open(signal), id),
  };
};
