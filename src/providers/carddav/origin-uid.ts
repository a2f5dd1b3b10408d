import { hash } from 'node:crypto';
import type { CreateRequest } from '../../core/contact/requests.ts';
import type { Card } from './card/content-line.ts';
import { textOf } from './card/edits.ts';

/** The maximum number of cards of one origin: a separated pair keeps its cards. */
const MOST_CARDS = 3;

/** The maximum number of group cards that were created with one name: a renamed group keeps its card. */
const MOST_GROUP_CARDS = 1_000;

/** Returns the last part of a path, which stays if the server moves. */
const lastSegment = (bookUrl: string): string =>
  new URL(bookUrl).pathname.split('/').findLast((segment) => segment !== '') ?? '';

/** Returns a UID that depends only on an origin and the name of the address book (R9). */
const uidFor = (origin: readonly (string | number)[], bookUrl: string): string => {
  const digits = hash('sha256', JSON.stringify([lastSegment(bookUrl), ...origin]));
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `5${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`];
  return [...parts, digits.slice(20, 32)].join('-');
};

const uidsFor = function* (origin: readonly string[], bookUrl: string, most: number): Generator<string> {
  for (let attempt = 0; attempt < most; attempt += 1) yield uidFor([...origin, attempt], bookUrl);
};

/** The contact of the other side that a card is created for. */
export type Origin = Pick<CreateRequest, 'originId' | 'originScope'>;

/** Yields the UIDs of the cards that a create may use, in order. */
export const uidsOf = ({ originId, originScope }: Origin, bookUrl: string): Iterable<string> =>
  uidsFor([originScope, originId], bookUrl, MOST_CARDS);

/** Yields the UIDs for a new group card with that name, without those of the group cards `known` (their ids). */
export const groupUids = (name: string, bookUrl: string, known: ReadonlySet<string>): Iterable<string> =>
  uidsFor(['group', name], bookUrl, MOST_GROUP_CARDS).filter((uid) => !known.has(cardIdOf(uid)));

/** Returns the id under which a new card with a UID is written. The server may store it under another one. */
export const cardIdOf = (uid: string): string => `${uid}.vcf`;

/** Returns a UID in the form in which UIDs are compared. */
export const uidKey = (uid: string): string =>
  uid
    .trim()
    .toLowerCase()
    .replace(/^urn:uuid:/u, '');

/** Returns the UID of a card as a mark of its origin; null if it has not the form of a UID of this program. */
export const originMarkOf = (card: Card): string | null => {
  const key = uidKey(textOf(card, 'UID'));
  return /^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/u.test(key) ? key : null;
};
