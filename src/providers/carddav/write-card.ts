import { headerNamed } from '../../net/headers.ts';
import { InvalidError, NotFoundError, StaleError } from '../errors.ts';
import { notSent } from '../failure.ts';
import type { BookContext } from './book.ts';
import { idOf, urlOf } from './href.ts';
import { type CardReading, isStrong, noteVersion, readStored, storedIn } from './cards.ts';
import type { StoredCard } from './stored-form.ts';
import { type Card, formatLines } from './card/content-line.ts';

const condition = (etag: string | null): Readonly<Record<string, string>> =>
  etag === null || !isStrong(etag) ? {} : { 'if-match': etag };

const CARD_TYPE = 'text/vcard; charset=utf-8';

/** The error options of a write that was not sent. */
export const PUT = notSent('PUT a card');

/**
 * Writes a card. Returns the card that was sent, with the id of the answer. Its ETag is null unless the answer has a strong one:
 * then the server may store another text than was sent (RFC 6352, 6.3.2.3).
 */
const putCard = async (
  context: BookContext,
  id: string,
  card: Card,
  headers: Readonly<Record<string, string>>,
): Promise<StoredCard> => {
  const { book } = context;
  const request = {
    method: 'PUT',
    url: urlOf(id, book.url),
    what: 'a card',
    headers: { 'content-type': CARD_TYPE, ...headers },
    body: formatLines(card),
  } as const;
  const answer = await context.send(request);
  const location = headerNamed(answer.headers, 'location');
  const stated = headerNamed(answer.headers, 'etag');
  const etag = stated !== null && isStrong(stated) ? stated : null;
  const storedId = (location === null ? null : idOf(location, book.url)) ?? id;
  const sent: StoredCard = { id: storedId, etag, modifiedAtMs: null, card, isOriginal: true };
  noteVersion(context, sent, etag);
  return sent;
};

/** Creates a card. A card with this id must not exist. */
export const createCard = (context: BookContext, id: string, card: Card): Promise<StoredCard> =>
  putCard(context, id, card, { 'if-none-match': '*' });

const CONVERTED =
  'the server returns the card only in a converted form, so that a write would change its version or lose other lines of it';

/** Returns the error for a card that another client has changed. */
export const staleCard = (): StaleError => new StaleError('the card changed since it was read', PUT);

/**
 * Reads a card without a strong ETag again, because its write has no condition. `isEdited` must be that of the first read.
 * Throws a {@link StaleError} if its text has changed.
 */
export const requireUnchanged = async (context: BookContext, stored: StoredCard, isEdited: boolean): Promise<void> => {
  if (stored.etag !== null && isStrong(stored.etag)) return;
  const current = await readStored(context, stored.id, isEdited);
  if (current === null || formatLines(current.card) !== formatLines(stored.card)) throw staleCard();
};

/** Replaces a card in the state in which it was read to be edited. Throws a {@link StaleError} if it has changed. */
export const replaceCard = async (context: BookContext, stored: StoredCard, card: Card): Promise<StoredCard> => {
  if (!stored.isOriginal) throw new InvalidError(CONVERTED, PUT);
  await requireUnchanged(context, stored, true);
  return putCard(context, stored.id, card, condition(stored.etag));
};

/** Deletes a card if it still has that ETag. A card that does not exist counts as deleted. */
export const deleteCard = async (context: BookContext, id: string, etag: string | null): Promise<void> => {
  const request = {
    method: 'DELETE',
    url: urlOf(id, context.book.url),
    what: 'a card',
    headers: condition(etag),
  } as const;
  try {
    await context.send(request);
  } catch (error) {
    // A web page is another error: a proxy returns it while the server is down.
    if (!(error instanceof NotFoundError)) throw error;
  }
};

const MOST_ATTEMPTS = 3;

/** A card after an edit. `isWritten` is false if the edit changed nothing. */
export type EditedCard = { readonly stored: StoredCard; readonly isWritten: boolean };

/**
 * Edits a card and writes it. Reads it first, unless `known` is its state; reads it again if it changed in the meantime. Returns
 * the card afterwards, or null if it does not exist. An edit that returns the same card is not written.
 */
export const editCard = async (
  context: BookContext,
  id: string,
  edit: (card: Card) => Card,
  known?: CardReading,
): Promise<EditedCard | null> => {
  let reading = known;
  for (let attempt = 1; ; attempt += 1) {
    const stored = reading === undefined ? await readStored(context, id, true) : storedIn(reading);
    if (stored === null) return null;
    const edited = edit(stored.card);
    if (formatLines(edited) === formatLines(stored.card)) return { stored, isWritten: false };
    try {
      return { stored: await replaceCard(context, stored, edited), isWritten: true };
    } catch (error) {
      if (!(error instanceof StaleError) || attempt >= MOST_ATTEMPTS) throw error;
    }
    reading = undefined;
  }
};
