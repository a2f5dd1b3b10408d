import { notFound, ServiceError } from './errors.ts';
import { LaggedView } from './lagged-view.ts';
import type { ContactRecord } from './records.ts';
import type { ServiceVariants } from './variants.ts';

const LAG_MS = { none: 0, '2s': 2000, '10s': 10_000 };

/** What became of a contact that no longer stands under its id. */
export type Departed =
  | { readonly kind: 'deleted'; readonly record: ContactRecord }
  | { readonly kind: 'merged'; readonly survivorId: string };

/** Contacts by id, who is in which bucket, and what became of those that left. All changes pass through `store`. */
export class ContactBook {
  /** Grows with every change; a list computed at one revision holds until the next. */
  revision = 0;
  readonly #contacts = new Map<string, ContactRecord>();
  readonly #departed = new Map<string, Departed>();
  /** Bucket id -> ids of its contacts; always the mirror image of the contacts' own `bucketIds`. */
  readonly #members = new Map<string, Set<string>>();
  readonly #lagged = new LaggedView<ContactRecord>();
  readonly #now: () => number;
  readonly #variants: () => ServiceVariants;

  constructor(now: () => number, variants: () => ServiceVariants) {
    this.#now = now;
    this.#variants = variants;
  }

  get(id: string): ContactRecord | undefined {
    return this.#contacts.get(id);
  }

  departed(id: string): Departed | undefined {
    return this.#departed.get(id);
  }

  all(): readonly ContactRecord[] {
    return [...this.#contacts.values()];
  }

  /** The contacts that a list shows now. */
  listed(): readonly ContactRecord[] {
    const lagMs = LAG_MS[this.#variants().listLag];
    const records = lagMs > 0 ? this.#lagged.asOf(this.#now() - lagMs, this.#contacts) : this.all();
    return records.filter((contact) => contact.archivedAtMs === null);
  }

  /** Contacts of a bucket that are not archived, the oldest first. */
  members(bucketId: string): readonly ContactRecord[] {
    const ids = this.#members.get(bucketId) ?? [];
    return [...ids]
      .flatMap((id) => this.#contacts.get(id) ?? [])
      .filter((contact) => contact.archivedAtMs === null)
      .sort((left, right) => left.serial - right.serial);
  }

  memberCount(bucketId: string): number {
    return this.#members.get(bucketId)?.size ?? 0;
  }

  store(contact: ContactRecord): ContactRecord {
    this.#changed(contact.id, this.#contacts.get(contact.id) ?? null, contact);
    this.#contacts.set(contact.id, contact);
    return contact;
  }

  remove(contact: ContactRecord, departed: Departed): void {
    this.#changed(contact.id, contact, null);
    this.#contacts.delete(contact.id);
    this.#departed.set(contact.id, departed);
  }

  /** The contact that the id stands for. Throws the ServiceError that the service answers where there is none. */
  require(id: string): ContactRecord {
    const contact = this.#contacts.get(id);
    if (contact !== undefined) return contact;
    const variants = this.#variants();
    const departed = this.#departed.get(id);
    if (departed?.kind === 'deleted' && variants.deleteStyle === '410') throw new ServiceError(410, 'Gone');
    if (departed?.kind === 'merged' && variants.mergeLosers === 'survivor') return this.require(departed.survivorId);
    if (departed?.kind === 'merged' && variants.mergeLosers === 'redirect') {
      throw new ServiceError(301, 'Moved Permanently', { location: `/v2/contacts/${departed.survivorId}` });
    }
    throw notFound(variants, id);
  }

  #changed(id: string, before: ContactRecord | null, after: ContactRecord | null): void {
    this.revision += 1;
    if (this.#variants().listLag !== 'none') this.#lagged.note(id, before, this.#now());
    this.#moveMember(id, before?.bucketIds ?? [], after?.bucketIds ?? []);
  }

  #moveMember(id: string, before: readonly string[], after: readonly string[]): void {
    if (before === after) return;
    for (const bucketId of before) this.#members.get(bucketId)?.delete(id);
    for (const bucketId of after) {
      const ids = this.#members.get(bucketId) ?? new Set();
      this.#members.set(bucketId, ids.add(id));
    }
  }
}
