import { hash } from 'node:crypto';
import type { CreateRequest } from '../../core/contact/requests.ts';
import type { Card } from './card/content-line.ts';
import { textOf } from './card/edits.ts';

/** The maximum number of cards of one origin: a separated pair keeps its cards. */
const MOST_CARDS = 3;

/** Returns the last part of a path, which stays if the server moves. */
const lastSegment = (bookUrl: string): string =>
  new URL(bookUrl).pathname.split('/').findLast((segment) => segment !== '') ?? '';

/** Returns a UID that depends only on an origin and the name of the address book (R9). */
const uidFor = (origin: readonly (string | number)[], bookUrl: string): string =>
  hash('sha256', JSON.stringify([lastSegment(bookUrl), ...origin])).replace(
    /^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/u,
    '$1-$2-5$3-8$4-$5',
  );

const uidsFor = (origin: readonly string[], bookUrl: string): readonly string[] =>
  Array.from({ length: MOST_CARDS }, (_, attempt) => uidFor([...origin, attempt], bookUrl));

/** The contact of the other side that a card is created for. */
export type Origin = Pick<CreateRequest, 'originId' | 'originScope'>;

/** Returns the UIDs of the cards that a create may use, in order. */
export const uidsOf = ({ originId, originScope = '' }: Origin, bookUrl: string): readonly string[] =>
  uidsFor([originScope, originId], bookUrl);

/** Returns the UIDs for a new group card with that name. */
export const groupUids = (name: string, bookUrl: string): readonly string[] => uidsFor(['group', name], bookUrl);

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
