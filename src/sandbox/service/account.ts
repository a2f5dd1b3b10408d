import { isDeepStrictEqual } from 'node:util';
import { NameIndex } from '../name-index.ts';
import { ContactBook, CustomFieldBook, mergedContact } from './contact-book.ts';
import { autoFilled, blankContact, type ContactFields, refuseIncomplete, writtenContact } from './contact-fields.ts';
import { invalid, notFound, ServiceError } from './errors.ts';
import { Identifiers, Stamps } from './ids-and-times.ts';
import type { BucketRecord, ContactRecord, UserRecord } from './records.ts';
import type { ServiceVariants } from './variants.ts';

type BucketDraft = {
  readonly name: string;
  readonly goal?: string | null | undefined;
  /** In days. The document gives no unit. */
  readonly reminderInterval?: number | null | undefined;
};
type BucketChange = Partial<BucketDraft>;
/** The values of a contact that the service computes. */
type ComputedFields = Partial<Pick<ContactRecord, 'lastContactedAtMs' | 'relationshipStatus' | 'assignedToId'>>;

/** Returns the name of a bucket in lower case, without outer spaces. */
const looseName = (name: string): string => name.trim().toLowerCase();

/**
 * One user's account in memory. Its methods have the effect of the user's actions in the web app, and the routes use them too.
 * Every method throws a {@link ServiceError} if the service refuses the action.
 */
export class ServiceAccount {
  readonly book: ContactBook;
  readonly customFields = new CustomFieldBook();
  readonly stamps: Stamps;
  user: UserRecord;
  readonly #buckets = new Map<string, BucketRecord>();
  /** Bucket ids by {@link looseName}. */
  readonly #bucketNames = new NameIndex();
  readonly #identifiers = new Identifiers();
  readonly #variants: () => ServiceVariants;

  constructor(clock: { now(): number }, variants: () => ServiceVariants, email: string) {
    this.#variants = variants;
    this.stamps = new Stamps(clock, variants);
    this.book = new ContactBook(() => this.stamps.now(), variants);
    const createdAtMs = this.stamps.next();
    this.user = {
      ...this.#identifiers.next('user'),
      createdAtMs,
      updatedAtMs: createdAtMs,
      first_name: 'Sandy',
      last_name: 'Box',
      email,
      avatar_url: null,
    };
  }

  /** Returns every contact, including archived ones, oldest first. */
  contacts(): readonly ContactRecord[] {
    return this.book.all();
  }

  contact(id: string): ContactRecord | undefined {
    return this.book.get(id);
  }

  /** Returns every bucket in the user's manual order, which is the order of creation. */
  buckets(): readonly BucketRecord[] {
    return [...this.#buckets.values()];
  }

  bucket(id: string): BucketRecord | undefined {
    return this.#buckets.get(id);
  }

  /** Returns the bucket with that id. Throws a ServiceError if it does not exist. */
  requireBucket(id: string): BucketRecord {
    const bucket = this.#buckets.get(id);
    if (bucket === undefined) throw notFound(this.#variants(), id);
    return bucket;
  }

  createBucket(draft: BucketDraft): BucketRecord {
    const namesake = this.#namesake(draft.name);
    if (namesake !== undefined && this.#variants().duplicateBucketName === 'existing') return namesake;
    this.#refuseNamesake(namesake);
    const createdAtMs = this.stamps.next();
    return this.#storeBucket({
      ...this.#identifiers.next('bucket'),
      createdAtMs,
      updatedAtMs: createdAtMs,
      name: draft.name,
      goal: draft.goal ?? null,
      reminder_interval: draft.reminderInterval ?? null,
    });
  }

  updateBucket(id: string, change: BucketChange): BucketRecord {
    const bucket = this.requireBucket(id);
    const name = change.name ?? bucket.name;
    const namesake = this.#namesake(name);
    if (namesake?.id !== id) this.#refuseNamesake(namesake);
    const { goal = bucket.goal, reminderInterval = bucket.reminder_interval } = change;
    const next = { ...bucket, name, goal, reminder_interval: reminderInterval };
    if (this.#isNoOp(bucket, next)) return bucket;
    return this.#storeBucket({ ...next, updatedAtMs: this.stamps.next(bucket.updatedAtMs) });
  }

  /** Deletes the bucket; its contacts stay (providers/service/API.md, Bucket routes). */
  deleteBucket(id: string): BucketRecord {
    const bucket = this.requireBucket(id);
    for (const contact of this.contacts().filter(({ bucketIds }) => bucketIds.includes(id))) {
      this.removeFromBuckets(contact.id, [id]);
    }
    this.#buckets.delete(id);
    this.#bucketNames.move(id, looseName(bucket.name), undefined);
    this.book.revision += 1;
    return bucket;
  }

  createContact(fields: ContactFields, options: { readonly bucketIds?: readonly string[] } = {}): ContactRecord {
    const variants = this.#variants();
    const known = variants.createKnownEmail === 'duplicate' ? undefined : this.#withEmailOf(fields);
    if (known !== undefined) return this.#createOverKnown(known, fields);
    const { id, serial } = this.#identifiers.next('contact');
    const written = writtenContact(blankContact(id, serial, this.stamps.next()), fields, this.#kit());
    refuseIncomplete(written, variants);
    const bucketIds = options.bucketIds ?? [];
    bucketIds.forEach((bucketId) => this.requireBucket(bucketId));
    return this.book.store({
      ...autoFilled(written, variants),
      bucketIds,
      lastBucketedAtMs: bucketIds.length > 0 ? written.createdAtMs : null,
    });
  }

  updateContact(id: string, fields: ContactFields): ContactRecord {
    const contact = this.book.require(id);
    this.#refuseKnownEmail(contact, fields);
    const next = writtenContact(contact, fields, this.#kit());
    if (this.#isNoOp(contact, next)) return contact;
    return this.book.store({ ...next, updatedAtMs: this.stamps.next(contact.updatedAtMs) });
  }

  deleteContact(id: string): ContactRecord {
    const variants = this.#variants();
    const departed = this.book.departed(id);
    if (departed?.kind === 'deleted' && variants.secondDelete === '200') return departed.record;
    if (departed?.kind === 'merged' && variants.deleteMerged === '404') throw notFound(variants, id);
    const contact = departed?.kind === 'merged' ? this.book.require(departed.survivorId) : this.book.require(id);
    if (variants.deleteStyle === 'archived') return this.#deleteByArchiving(contact);
    this.book.remove(contact, { kind: 'deleted', record: contact });
    return contact;
  }

  /** Archives the contact. Lists omit it, but it can still be read by id. */
  archiveContact(id: string): ContactRecord {
    const contact = this.book.require(id);
    const archivedAtMs = this.stamps.next(contact.updatedAtMs);
    return this.book.store({ ...contact, archivedAtMs, updatedAtMs: archivedAtMs });
  }

  /** Writes the attributes of the listed contacts over the survivor. The effect on these contacts is a variant. */
  mergeContacts(survivorId: string, loserIds: readonly string[]): ContactRecord {
    const variants = this.#variants();
    let survivor = this.book.require(survivorId);
    if (loserIds.includes(survivor.id)) {
      throw invalid(variants, 'A contact cannot be merged into itself');
    }
    const losers = [...new Set(loserIds)].map((id) => this.book.require(id));
    for (const loser of losers) {
      survivor = mergedContact(survivor, loser, variants);
      if (variants.mergeLosers === 'archived') this.archiveContact(loser.id);
      else this.book.remove(loser, { kind: 'merged', survivorId: survivor.id });
    }
    const isBumped = variants.mergeBump === 'bumped' && losers.length > 0;
    return this.book.store({
      ...survivor,
      updatedAtMs: isBumped ? this.stamps.next(survivor.updatedAtMs) : survivor.updatedAtMs,
    });
  }

  /** Makes the contact a member of exactly these buckets. */
  setBuckets(contactId: string, bucketIds: readonly string[]): ContactRecord {
    const contact = this.book.require(contactId);
    const wanted = new Set(bucketIds);
    const kept = contact.bucketIds.filter((id) => wanted.has(id));
    return this.#changeMembership(contact, [...new Set([...kept, ...bucketIds])]);
  }

  addToBuckets(contactId: string, bucketIds: readonly string[]): ContactRecord {
    const contact = this.book.require(contactId);
    return this.#changeMembership(contact, [...new Set([...contact.bucketIds, ...bucketIds])]);
  }

  removeFromBuckets(contactId: string, bucketIds: readonly string[]): ContactRecord {
    const contact = this.book.require(contactId);
    const kept = contact.bucketIds.filter((id) => !bucketIds.includes(id));
    return this.#changeMembership(contact, kept);
  }

  /** Stores values that the service computes about a contact. */
  compute(contactId: string, computed: ComputedFields): ContactRecord {
    const contact = this.book.require(contactId);
    const isBumped = this.#variants().activityBump === 'bumped';
    return this.book.store({
      ...contact,
      ...computed,
      updatedAtMs: isBumped ? this.stamps.next(contact.updatedAtMs) : contact.updatedAtMs,
    });
  }

  #kit() {
    return { variants: this.#variants(), identifiers: this.#identifiers, customFields: this.customFields };
  }

  #isNoOp(current: object, next: object): boolean {
    return this.#variants().noOpPatch === 'unchanged' && isDeepStrictEqual(current, next);
  }

  #storeBucket(bucket: BucketRecord): BucketRecord {
    const before = this.#buckets.get(bucket.id)?.name;
    this.#bucketNames.move(bucket.id, before === undefined ? undefined : looseName(before), looseName(bucket.name));
    this.#buckets.set(bucket.id, bucket);
    this.book.revision += 1;
    return bucket;
  }

  #namesake(name: string): BucketRecord | undefined {
    const isLoose = this.#variants().bucketNameCompare === 'loose';
    const ids = this.#bucketNames.idsOf(looseName(name));
    const isNamesake = (bucket: BucketRecord): boolean => ids.has(bucket.id) && (isLoose || bucket.name === name);
    // Of several buckets, the oldest.
    if (ids.size > 1) return this.buckets().find(isNamesake);
    return [...ids].map((id) => this.requireBucket(id)).find(isNamesake);
  }

  #refuseNamesake(namesake: BucketRecord | undefined): void {
    if (namesake === undefined || this.#variants().duplicateBucketName !== '422') return;
    throw invalid(this.#variants(), 'Name has already been taken', 'name');
  }

  /** Returns another contact than `own` that has one of the new addresses in `fields`. */
  #withEmailOf(fields: ContactFields, own?: ContactRecord): ContactRecord | undefined {
    const keyOf = ({ address }: { readonly address: string }): string => address.trim().toLowerCase();
    const held = new Set(own?.email_addresses.map(keyOf));
    const sent = new Set((fields.email_addresses ?? []).map(keyOf).filter((key) => !held.has(key)));
    return this.contacts().find(({ id, email_addresses }) => {
      return id !== own?.id && email_addresses.some((entry) => sent.has(keyOf(entry)));
    });
  }

  #emailTaken(): ServiceError {
    const status = this.#variants().createKnownEmail === '409' ? 409 : 422;
    return new ServiceError(status, 'Email address has already been taken', { field: 'email_addresses' });
  }

  /** A service that refuses a create with a known address also refuses that address for any other contact. */
  #refuseKnownEmail(contact: ContactRecord, fields: ContactFields): void {
    const { createKnownEmail } = this.#variants();
    const isRefused = createKnownEmail === '409' || createKnownEmail === '422';
    if (isRefused && this.#withEmailOf(fields, contact) !== undefined) throw this.#emailTaken();
  }

  #createOverKnown(known: ContactRecord, fields: ContactFields): ContactRecord {
    const { createKnownEmail } = this.#variants();
    if (createKnownEmail === 'existing') return known;
    if (createKnownEmail === 'existing-updated') return this.updateContact(known.id, fields);
    throw this.#emailTaken();
  }

  #deleteByArchiving(contact: ContactRecord): ContactRecord {
    if (contact.archivedAtMs === null) return this.archiveContact(contact.id);
    if (this.#variants().secondDelete === '200') return contact;
    throw notFound(this.#variants(), contact.id);
  }

  #changeMembership(contact: ContactRecord, bucketIds: readonly string[]): ContactRecord {
    const { membershipBump } = this.#variants();
    const before = new Set(contact.bucketIds);
    const touched = [...before]
      .filter((id) => !bucketIds.includes(id))
      .concat(bucketIds.filter((id) => !before.has(id)));
    touched.forEach((id) => this.requireBucket(id));
    const isBumped = membershipBump === 'contact' || (membershipBump === 'contact-if-changed' && touched.length > 0);
    const updatedAtMs = isBumped ? this.stamps.next(contact.updatedAtMs) : contact.updatedAtMs;
    if (touched.length === 0) return isBumped ? this.book.store({ ...contact, updatedAtMs }) : contact;
    if (membershipBump === 'bucket') touched.forEach((id) => this.#bumpBucket(id));
    return this.book.store({ ...contact, bucketIds, updatedAtMs, lastBucketedAtMs: this.stamps.next() });
  }

  #bumpBucket(id: string): void {
    const bucket = this.requireBucket(id);
    this.#storeBucket({ ...bucket, updatedAtMs: this.stamps.next(bucket.updatedAtMs) });
  }
}
