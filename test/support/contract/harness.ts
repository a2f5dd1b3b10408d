import type { ChosenFields } from '../../../src/core/contact/chosen.ts';
import type { Contact, ContactField } from '../../../src/core/contact/contact.ts';
import { EMPTY_CONTACT } from '../../../src/core/contact/contact.ts';
import type { Clock } from '../../../src/util/clock.ts';
import type { Remote } from '../../../src/providers/remote.ts';
import type { Fault } from '../../../src/sandbox/faults.ts';

/** The values of a contact in an account's user interface; email addresses and phone numbers without labels. */
export type Card = {
  readonly firstName: string;
  readonly lastName: string;
  readonly company: string;
  readonly title: string;
  readonly emails: readonly string[];
  readonly phones: readonly string[];
};

/** A fault of a request. */
export type Trouble = 'limited' | 'unavailable' | 'reset-before' | 'reset-after' | 'truncated' | 'html';

/** The faults of an emulator. */
export const TROUBLES: Readonly<Record<Trouble, Fault['action']>> = {
  limited: { kind: 'status', status: 429, retryAfter: '7' },
  unavailable: { kind: 'status', status: 503 },
  'reset-before': { kind: 'reset-before' },
  'reset-after': { kind: 'reset-after' },
  truncated: { kind: 'truncate' },
  html: { kind: 'html' },
};

/** A kind of request that can be made to go wrong. */
export type RequestKind = 'list' | 'read' | 'create' | 'update' | 'delete';

/** A remote that talks over real HTTP to an account on the emulator, and that account as its owner sees it. */
export type Harness = AsyncDisposable & {
  readonly remote: Remote;
  readonly clock: Clock & { advance(byMs: number): void };
  /** More contacts than go on one page of a listing. */
  readonly moreThanAPage: number;
  /** Number of requests so far. */
  arrived(): number;
  /** The same, without the reads before an update of a remote that edits whole contacts. */
  arrivedToUpdate(): number;
  add(card: Partial<Card>, groupIds?: readonly string[]): string;
  edit(id: string, change: Partial<Card>): void;
  remove(id: string): void;
  merge(survivorId: string, loserId: string): void;
  addGroup(name: string): string;
  /** Puts the contact into the group too. */
  join(id: string, groupId: string): void;
  /** The current contact; null where a list does not show it. */
  card(id: string): Card | null;
  groupIdsOf(id: string): readonly string[];
  ids(): readonly string[];
  /** Gives the contact data that the canonical contact cannot express. */
  giveMore(id: string): void;
  /** All of that data that the contact has. */
  more(id: string): unknown;
  /** Makes the next request of that kind go wrong; `skip` of them pass first. */
  disturb(kind: RequestKind, trouble: Trouble): void;
  /** Makes the account refuse one of the creates that follow; returns the requests to send. */
  refuseOne<Request extends { readonly groupIds: readonly string[] }>(requests: readonly Request[]): Request[];
  /** Holds the next request of that kind for so long, in real time. */
  hold(kind: RequestKind, delayMs: number): void;
  /** Accepts one request a second from now on. */
  limitTightly(): void;
  /** The user takes the permission back. */
  revoke(): void;
  /** A remote of the same account that maps these fields. */
  choosing(fields: ChosenFields): Remote;
  /** Makes sure that the account has custom fields of these names, which some contact carries. */
  define(names: readonly string[]): void;
  /** Whether the provider writes the field there. */
  writes(field: ContactField): boolean;
  /** Another remote of the same account whose credential was never right. */
  impostor(): Remote;
};

const EMPTY_CARD: Card = { firstName: '', lastName: '', company: '', title: '', emails: [], phones: [] };

/** The card as a draft of the canonical contact, in the form that it has after normalisation. */
export const contactOfCard = (card: Partial<Card>): Contact => {
  const { firstName, lastName, company, title, emails, phones } = { ...EMPTY_CARD, ...card };
  return {
    ...EMPTY_CONTACT,
    firstName,
    lastName,
    company,
    title,
    emailAddresses: emails.map((value) => ({ value, label: 'work' })),
    phoneNumbers: phones.map((value) => ({ value, label: 'mobile' })),
  };
};

/** The card that a canonical contact makes. */
export const cardOf = (contact: Contact): Card => ({
  firstName: contact.firstName,
  lastName: contact.lastName,
  company: contact.company,
  title: contact.title,
  emails: contact.emailAddresses.map(({ value }) => value),
  phones: contact.phoneNumbers.map(({ value }) => value),
});

const unique = (values: readonly string[]): string[] => [...new Set(values)].toSorted();

/** The card without what a remote may rewrite: case of addresses, form of numbers, order and repeats of entries. */
export const plain = (card: Card): Card => ({
  ...card,
  emails: unique(card.emails.map((email) => email.trim().toLowerCase())),
  phones: unique(card.phones.map((phone) => phone.replaceAll(/\D/gu, '').slice(-10))),
});
