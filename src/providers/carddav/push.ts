import type { CreateRequest, UpdateRequest } from '../../core/contact/requests.ts';
import { createHash } from 'node:crypto';
import type { ContactRecord } from '../../core/contact/record.ts';
import { InvalidError, NotFoundError, RemoteError, StaleError } from '../errors.ts';
import type { WriteResult } from '../remote.ts';
import { settleEach } from '../write-results.ts';
import { CONCURRENCY, type BookContext } from './book.ts';
import {
  deleteCard,
  PUT,
  putCard,
  readCards,
  readInState,
  storedIn,
  unreadableCard,
  type CardReading,
  type StoredCard,
} from './cards.ts';
import type { Card } from './card/content-line.ts';
import type { AddressBook } from './discovery.ts';
import { withCategories } from './group-cards.ts';
import { categoryNameOf, isCardGroup, type Records } from './mapper.ts';

/** A context with the records of its cards. */
export type Writer = { readonly context: BookContext; readonly records: Records };

/** Throws if the account may not write the address book. */
export const requireWritable = ({ isWritable, name }: AddressBook): void => {
  if (!isWritable) throw new InvalidError(`the account may only read the address book ${name}`, PUT);
};

/** The maximum number of cards of one origin: a separated pair keeps its cards. */
const MOST_CARDS = 3;

/**
 * Returns the UID of the card for a create. It depends only on the origin, so that a create whose answer was lost is found by
 * its href (R9).
 */
const uidFor = (origin: readonly (string | number)[], bookUrl: string): string =>
  createHash('sha256')
    .update(JSON.stringify([bookUrl, ...origin]))
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/u, '$1-$2-5$3-8$4-$5');

/** Returns the id of the card with a UID. */
export const cardIdOf = (uid: string): string => `${uid}.vcf`;

const uidsFor = (origin: readonly string[], bookUrl: string): readonly string[] =>
  Array.from({ length: MOST_CARDS }, (_, attempt) => uidFor([...origin, attempt], bookUrl));

/** Returns the UIDs of the cards that a create may use, in order. */
export const uidsOf = ({ originId, originScope = '' }: CreateRequest, bookUrl: string): readonly string[] =>
  uidsFor([originScope, originId], bookUrl);

/**
 * Creates a card with the first unused UID.
 *
 * @throws {StaleError} if all of these UIDs are used.
 */
export const createUnder = async (
  context: BookContext,
  uids: readonly string[],
  cardOf: (uid: string) => Card,
  signal: AbortSignal,
): Promise<StoredCard> => {
  const [uid = '', ...others] = uids;
  try {
    const card = cardOf(uid);
    const etag = await putCard(context, cardIdOf(uid), card, { kind: 'new' }, signal);
    return { id: cardIdOf(uid), etag, modifiedAtMs: null, card };
  } catch (error) {
    if (!(error instanceof StaleError) || others.length === 0) throw error;
    return createUnder(context, others, cardOf, signal);
  }
};

/** Returns the UIDs for a new group card with that name. */
export const groupUids = (name: string, bookUrl: string): readonly string[] => uidsFor(['group', name], bookUrl);

/** A card that was sent, and the group cards that contain it. */
type Written = { readonly sent: StoredCard; readonly cardGroups: readonly string[] };

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Returns the record of a written card. A server may store a different card than was sent, and another client may have written
 * since. The card that was read is used if its ETag is that of the write, or if it has the same values. Otherwise the card
 * that was sent is used, without a version, and the next feed returns the difference.
 */
const recordOfWritten = (
  { records }: Writer,
  { sent, cardGroups }: Written,
  reading: CardReading | undefined,
): ContactRecord => {
  const own = records.recordOf({ ...sent, etag: null }, cardGroups);
  if (reading?.kind !== 'card') return own;
  const stored = records.recordOf(reading.stored, cardGroups);
  const isOwn = sent.etag !== null && sent.etag === reading.stored.etag;
  return isOwn || isSame([stored.contact, stored.groupIds], [own.contact, own.groupIds]) ? stored : own;
};

/** Reads the written cards. If that fails, the writes are still done. */
const readWritten = async (
  context: BookContext,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, CardReading>> => {
  try {
    return await readCards(context, ids, signal);
  } catch (error) {
    if (error instanceof RemoteError) return new Map();
    throw error;
  }
};

/** Returns each write's result with the card as the server stores it. One request reads all of them. */
const answered = async (
  writer: Writer,
  writes: readonly WriteResult<Written>[],
  signal: AbortSignal,
): Promise<readonly WriteResult<ContactRecord>[]> => {
  const ids = writes.flatMap((write) => (write.ok ? [write.value.sent.id] : []));
  const readings = ids.length === 0 ? new Map<string, CardReading>() : await readWritten(writer.context, ids, signal);
  return writes.map((write) =>
    write.ok ? { ...write, value: recordOfWritten(writer, write.value, readings.get(write.value.sent.id)) } : write,
  );
};

/** Creates cards with their categories, one request per card. Group cards are changed afterwards. */
export const createContacts = async (
  writer: Writer,
  batch: readonly CreateRequest[],
  signal: AbortSignal,
): Promise<readonly WriteResult<ContactRecord>[]> => {
  const { context } = writer;
  const book = await context.find(signal);
  const writes = await settleEach(batch, CONCURRENCY, async (request): Promise<Written> => {
    requireWritable(book);
    const categories = request.groupIds.flatMap((id) => categoryNameOf(id) ?? []);
    const cardOf = (uid: string): Card =>
      withCategories(context.mapping.create(request.draft, uid, book.version), categories, []);
    const sent = await createUnder(context, uidsOf(request, book.url), cardOf, signal);
    for (const name of categories) context.categories.names.add(name);
    return { sent, cardGroups: [] };
  });
  return answered(writer, writes, signal);
};

const stale = (): StaleError => new StaleError('the card changed since it was read', PUT);

/** Returns the card that an update edits. It must be in the state that the caller has read. */
const currentCard = ({ current }: UpdateRequest, reading: CardReading | undefined): StoredCard => {
  const stored = storedIn(reading);
  if (stored === null) throw new NotFoundError('the card does not exist any more', PUT);
  if (current.version === '' || stored.etag !== current.version) throw stale();
  return stored;
};

/** Edits cards, each only in the state that the caller has read. */
export const updateContacts = async (
  writer: Writer,
  batch: readonly UpdateRequest[],
  signal: AbortSignal,
): Promise<readonly WriteResult<ContactRecord>[]> => {
  const { context } = writer;
  const book = await context.find(signal);
  const states = batch.map(({ current }) => current);
  const readings = await readInState(context, states, signal);
  const writes = await settleEach(batch, CONCURRENCY, async (request): Promise<Written> => {
    requireWritable(book);
    const { current, desired, fields } = request;
    const stored = currentCard(request, readings.get(current.id));
    const card = context.mapping.write(stored.card, desired, fields);
    const etag = await putCard(context, current.id, card, stored.etag, signal);
    return { sent: { ...stored, card, etag, modifiedAtMs: null }, cardGroups: current.groupIds.filter(isCardGroup) };
  });
  return answered(writer, writes, signal);
};

/** Deletes cards, each only in its current state. */
export const deleteContacts = async (
  context: BookContext,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly WriteResult<null>[]> => {
  const book = await context.find(signal);
  const readings = await readCards(context, ids, signal);
  return settleEach(ids, CONCURRENCY, async (id) => {
    const reading = readings.get(id);
    if (reading?.kind === 'gone') return null;
    if (reading?.kind !== 'card') throw unreadableCard(reading?.reason ?? 'the server did not answer for it');
    requireWritable(book);
    await deleteCard(context, id, reading.stored.etag, signal);
    return null;
  });
};
