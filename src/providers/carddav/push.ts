import { InvalidError, NotFoundError, RemoteError, StaleError, UnavailableError } from '../errors.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import type { CreateRequest, UpdateRequest } from '../../core/contact/requests.ts';
import type { WriteResult } from '../remote.ts';
import { settle, settleEach } from '../write-results.ts';
import { CONCURRENCY, type BookContext, noteCategories } from './book.ts';
import { noteVersion, readCards, storedIn, unreadableCard, type CardReading } from './cards.ts';
import type { StoredCard } from './stored-form.ts';
import { formatLines, type Card } from './card/content-line.ts';
import { isRefusedStatus } from './dav.ts';
import type { AddressBook } from './discovery.ts';
import { withCategories } from './group-cards.ts';
import { categoryNameOf, isCardGroup } from './mapper.ts';
import { cardIdOf, uidsOf } from './origin-uid.ts';
import { findByMark } from './search.ts';
import { createCard, deleteCard, PUT, replaceCard, requireUnchanged, staleCard } from './write-card.ts';

/** Throws if the account may not write the address book. */
export const requireWritable = ({ isWritable, name }: AddressBook): void => {
  if (!isWritable) throw new InvalidError(`the account may only read the address book ${name}`, PUT);
};

/**
 * A new card that was sent, with the UID by which it is found if the server stores it under another name. A server may refuse a
 * card and store it nevertheless: then a read decides.
 */
type SentNew = { readonly sent: StoredCard; readonly uid: string; readonly refusal: RemoteError | null };

/** Returns an error that refuses a card; throws any other error. */
const refusalIn = (error: unknown): RemoteError => {
  const isOther = error instanceof StaleError || error instanceof NotFoundError;
  if (error instanceof RemoteError && !isOther && error.applied === 'no' && isRefusedStatus(error.status ?? 0)) {
    return error;
  }
  throw error;
};

/** Sends a new card with the first unused UID. Throws a {@link StaleError} if all of them are used. */
const sendNew = async (
  context: BookContext,
  uids: Iterable<string>,
  cardOf: (uid: string) => Card,
): Promise<SentNew> => {
  let used: StaleError | null = null;
  for (const uid of uids) {
    const [id, card] = [cardIdOf(uid), cardOf(uid)];
    try {
      return { sent: await createCard(context, id, card), uid, refusal: null };
    } catch (error) {
      if (error instanceof StaleError) used = error;
      else {
        const sent = { id, etag: null, modifiedAtMs: null, card, isOriginal: true };
        return { sent, uid, refusal: refusalIn(error) };
      }
    }
  }
  throw used ?? new StaleError('there is no UID for a new card', PUT);
};

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The error of a write whose outcome only a later read can show. */
export const unconfirmed = (): UnavailableError =>
  new UnavailableError('the server accepted the card and does not return it', {
    ...PUT,
    status: 200,
    applied: 'unknown',
  });

/** Returns what a read finds, by key; nothing if it fails: the written cards are not confirmed then. */
export const orNothing = async <Found>(
  found: Promise<ReadonlyMap<string, Found>>,
): Promise<ReadonlyMap<string, Found>> => {
  try {
    return await found;
  } catch (error) {
    if (error instanceof RemoteError) return new Map();
    throw error;
  }
};

/** Returns whether the reads show that a server stores exactly the cards that it names a strong ETag for. */
const storesExactly = (sent: readonly StoredCard[], readings: ReadonlyMap<string, CardReading>): boolean => {
  const named = sent.filter(({ etag }) => etag !== null);
  const isSent = ({ id, etag, card }: StoredCard): boolean => {
    const reading = readings.get(id);
    return (
      reading?.kind === 'card' && reading.stored.etag === etag && formatLines(reading.stored.card) === formatLines(card)
    );
  };
  return named.length > 0 && named.every(isSent);
};

/** Returns the written cards: those that the server certainly stores as they were sent, and a read of the others. */
const readWritten = async (
  context: BookContext,
  sent: readonly StoredCard[],
  areNew: boolean,
): Promise<ReadonlyMap<string, CardReading>> => {
  const { storage } = context;
  const isCertain = areNew ? storage.keepsNames : storage.isExact;
  const certain = sent.filter(({ etag }) => isCertain && etag !== null);
  const others = sent.filter((each) => !certain.includes(each));
  const ids = others.map(({ id }) => id);
  const readings = await orNothing(ids.length === 0 ? Promise.resolve(new Map()) : readCards(context, ids));
  if (!isCertain && storesExactly(sent, readings)) {
    storage.isExact = true;
    storage.keepsNames ||= areNew;
  }
  return new Map([...readings, ...certain.map((stored) => [stored.id, { kind: 'card', stored }] as const)]);
};

/** Returns the stored cards of creates by their UIDs; none for a card that no read shows. */
const confirmNew = async (context: BookContext, news: readonly SentNew[]): Promise<ReadonlyMap<string, StoredCard>> => {
  const readings = await readWritten(
    context,
    news.map(({ sent }) => sent),
    true,
  );
  const storedAs = ({ sent }: SentNew): StoredCard | null => {
    const reading = readings.get(sent.id);
    // A card that cannot be read is not confirmed, and does not affect the others (R15).
    return reading?.kind === 'card' ? reading.stored : null;
  };
  const missing = news.filter((each) => storedAs(each) === null).map(({ uid }) => uid);
  const renamed = await orNothing(findByMark(context, missing));
  const stored = new Map<string, StoredCard>();
  for (const each of news) {
    const candidates = renamed.get(each.uid) ?? [];
    const values = ({ card }: StoredCard): unknown => context.mapping.read(card);
    // An earlier card of the same origin may have the same UID.
    const own = candidates.find((candidate) => isSame(values(candidate), values(each.sent)));
    const found = storedAs(each) ?? own ?? candidates.at(-1);
    if (found === undefined) continue;
    noteVersion(context, each.sent, each.refusal === null ? found.etag : null);
    stored.set(each.uid, found);
  }
  return stored;
};

/** Returns a stored new card. Throws the refusal, or an error of unknown outcome, if no read shows it. */
const requireStored = (stored: ReadonlyMap<string, StoredCard>, { uid, refusal }: SentNew): StoredCard => {
  const card = stored.get(uid);
  if (card === undefined) throw refusal ?? unconfirmed();
  return card;
};

/** Creates one card with the first unused UID. Returns it as the server stores it. */
export const createUnder = async (
  context: BookContext,
  uids: Iterable<string>,
  cardOf: (uid: string) => Card,
): Promise<StoredCard> => {
  const sent = await sendNew(context, uids, cardOf);
  return requireStored(await confirmNew(context, [sent]), sent);
};

/**
 * Returns the records of writes, and remembers their categories. A write for which `recordOf` throws a RemoteError becomes an error.
 */
const settleRecords = async <Sent>(
  context: BookContext,
  writes: readonly WriteResult<Sent>[],
  recordOf: (sent: Sent) => ContactRecord,
): Promise<readonly WriteResult<ContactRecord>[]> => {
  const results = await Promise.all(
    writes.map(async (each) => (each.ok ? settle(each.key, async () => recordOf(each.value)) : each)),
  );
  noteCategories(
    context,
    results.flatMap((each) => (each.ok ? each.value.groupIds : [])),
  );
  return results;
};

/** Creates cards with their categories, one request per card. Group cards are changed afterwards. */
export const createContacts = async (
  context: BookContext,
  batch: readonly CreateRequest[],
): Promise<readonly WriteResult<ContactRecord>[]> => {
  const { book, mapping, records } = context;
  const writes = await settleEach(batch, CONCURRENCY, (request): Promise<SentNew> => {
    requireWritable(book);
    const categories = request.groupIds.flatMap((id) => categoryNameOf(id) ?? []);
    const cardOf = (uid: string): Card =>
      withCategories(mapping.create(request.draft, uid, book.version), categories, []);
    return sendNew(context, uidsOf(request, book.url), cardOf);
  });
  const news = writes.flatMap((write) => (write.ok ? [write.value] : []));
  const stored = await confirmNew(context, news);
  return settleRecords(context, writes, (sent) => records.recordOf(requireStored(stored, sent), []));
};

/** Returns the card that an update edits. It must be in the state that the caller has read. */
const currentCard = ({ version }: ContactRecord, reading: CardReading | undefined): StoredCard => {
  const stored = storedIn(reading);
  if (stored === null) throw new NotFoundError('the card does not exist any more', PUT);
  if (stored.etag === null) {
    const text = 'the server names no ETag of the card, so an edit could overwrite the edit of another program';
    throw new InvalidError(text, PUT);
  }
  if (stored.etag !== version) throw staleCard();
  return stored;
};

/** An update that was sent. */
type SentUpdate = { readonly sent: StoredCard; readonly cardGroups: readonly string[] };

/**
 * Returns the record of an updated card (R2): the card as the server stores it, even if another client changed it. Only a strong ETag that differs
 * from that of the read shows that another client has written since. Then the record is the card that was sent, without a
 * version, and the next feed returns the edit.
 */
const recordOfUpdate = (
  { records }: BookContext,
  { cardGroups, sent }: SentUpdate,
  reading: CardReading | undefined,
): ContactRecord => {
  if (reading?.kind !== 'card') {
    if (sent.etag === null || reading?.kind === 'gone') throw unconfirmed();
    return records.recordOf(sent, cardGroups);
  }
  const stored = records.recordOf(reading.stored, cardGroups);
  if (sent.etag === null || sent.etag === reading.stored.etag) return stored;
  const own = records.recordOf({ ...sent, etag: null }, cardGroups);
  return isSame([stored.contact, stored.groupIds], [own.contact, own.groupIds]) ? stored : own;
};

/** Edits cards, each only in the state that the caller has read. One request reads all of them afterwards. */
export const updateContacts = async (
  context: BookContext,
  batch: readonly UpdateRequest[],
): Promise<readonly WriteResult<ContactRecord>[]> => {
  const ids = batch.map(({ current }) => current.id);
  const formers = await readCards(context, ids, true);
  const writes = await settleEach(batch, CONCURRENCY, async (request): Promise<SentUpdate> => {
    requireWritable(context.book);
    const { current, desired, fields } = request;
    const former = currentCard(current, formers.get(current.id));
    const card = context.mapping.write(former.card, desired, fields);
    return { cardGroups: current.groupIds.filter(isCardGroup), sent: await replaceCard(context, former, card) };
  });
  const sent = writes.flatMap((write) => (write.ok ? [write.value.sent] : []));
  const readings = await readWritten(context, sent, false);
  return settleRecords(context, writes, (update) => {
    const record = recordOfUpdate(context, update, readings.get(update.sent.id));
    noteVersion(context, update.sent, record.version || null);
    return record;
  });
};

/** Deletes cards, each only in its current state. */
export const deleteContacts = async (
  context: BookContext,
  ids: readonly string[],
): Promise<readonly WriteResult<null>[]> => {
  const readings = await readCards(context, ids);
  return settleEach(ids, CONCURRENCY, async (id) => {
    const reading = readings.get(id);
    if (reading?.kind === 'gone') return null;
    if (reading?.kind !== 'card') throw unreadableCard(reading?.reason ?? 'the server did not answer for it');
    requireWritable(context.book);
    await requireUnchanged(context, reading.stored, false);
    await deleteCard(context, id, reading.stored.etag);
    return null;
  });
};
