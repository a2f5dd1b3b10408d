import { z } from 'zod';
import { ADDRESS, EMAIL, PHONE, PROFILE, WEBSITE } from './contact-entries.ts';
import { notFound, ServiceError } from './errors.ts';
import type { ContactRecord } from './records.ts';
import type { ServiceVariants } from './variants.ts';

type CustomFieldType = 'textfield' | 'textarea' | 'decimal' | 'boolean' | 'date';

type CustomFieldDefinition = { readonly id: string; readonly name: string; readonly type: CustomFieldType };

/** The values that a custom field accepts, by its type. Null unsets the field. */
const ACCEPTED: Readonly<Record<CustomFieldType, z.ZodType>> = {
  textfield: z.string().nullable(),
  textarea: z.string().nullable(),
  decimal: z.number().nullable(),
  boolean: z.boolean().nullable(),
  date: z.iso.date().nullable(),
};

/** The custom fields of an account. A value of an undefined field is stored unchanged. */
export class CustomFieldBook {
  readonly #definitions = new Map<string, CustomFieldDefinition>();

  define(name: string, type: CustomFieldType = 'textfield'): CustomFieldDefinition {
    const definition = { id: `custom_field_${this.#definitions.size + 1}`, name, type };
    this.#definitions.set(definition.id, definition);
    return definition;
  }

  get(id: string): CustomFieldDefinition | undefined {
    return this.#definitions.get(id);
  }

  takes(id: string, value: unknown): boolean {
    const definition = this.#definitions.get(id);
    return definition === undefined || ACCEPTED[definition.type].safeParse(value).success;
  }
}

type MergedText = 'first_name' | 'last_name' | 'title' | 'company' | 'avatar_url';

const mergedList = <Kept>(
  mine: readonly Kept[],
  theirs: readonly Kept[],
  valueOf: (kept: Kept) => string,
  variants: ServiceVariants,
): readonly Kept[] => {
  if (variants.mergeArrays === 'replace') return theirs.length > 0 ? theirs : mine;
  const known = new Set(mine.map(valueOf));
  return [...mine, ...theirs.filter((kept) => !known.has(valueOf(kept)))];
};

const mergedTexts = (
  survivor: ContactRecord,
  loser: ContactRecord,
  variants: ServiceVariants,
): Pick<ContactRecord, MergedText> => {
  const [first, second] = variants.mergeScalars === 'overwrite' ? [loser, survivor] : [survivor, loser];
  const pick = (name: MergedText): string | null => first[name] || second[name];
  return {
    first_name: pick('first_name'),
    last_name: pick('last_name'),
    title: pick('title'),
    company: pick('company'),
    avatar_url: pick('avatar_url'),
  };
};

/** Returns the survivor of a merge, overwritten with the loser's attributes (providers/service/API.md, Contact routes). */
export const mergedContact = (
  survivor: ContactRecord,
  loser: ContactRecord,
  variants: ServiceVariants,
): ContactRecord => ({
  ...survivor,
  ...mergedTexts(survivor, loser, variants),
  tags: mergedList(survivor.tags, loser.tags, (tag) => tag, variants),
  addresses: mergedList(survivor.addresses, loser.addresses, ADDRESS.valueOf, variants),
  email_addresses: mergedList(survivor.email_addresses, loser.email_addresses, EMAIL.valueOf, variants),
  social_media_profiles: mergedList(
    survivor.social_media_profiles,
    loser.social_media_profiles,
    PROFILE.valueOf,
    variants,
  ),
  websites: mergedList(survivor.websites, loser.websites, WEBSITE.valueOf, variants),
  phone_numbers: mergedList(survivor.phone_numbers, loser.phone_numbers, PHONE.valueOf, variants),
  customFields: [
    ...survivor.customFields.filter(({ id }) => !loser.customFields.some((theirs) => theirs.id === id)),
    ...loser.customFields,
  ],
  bucketIds:
    variants.mergeBuckets === 'union' ? [...new Set([...survivor.bucketIds, ...loser.bucketIds])] : survivor.bucketIds,
});

type Past<T> = { readonly changedAtMs: number; readonly before: T | null };

/** Stores earlier versions of records, so that a list can lag behind. */
class LaggedView<T> {
  readonly #pasts = new Map<string, Past<T>[]>();

  /** Records that the version `before` (null: did not exist) was replaced at `changedAtMs`. */
  note(id: string, before: T | null, changedAtMs: number): void {
    const pasts = this.#pasts.get(id) ?? [];
    pasts.push({ changedAtMs, before });
    this.#pasts.set(id, pasts);
  }

  /** Returns the records as of `atMs`. Earlier versions from before are removed. */
  asOf(atMs: number, current: ReadonlyMap<string, T>): readonly T[] {
    const records = new Map(current);
    for (const [id, pasts] of this.#pasts) {
      const later = pasts.filter((past) => past.changedAtMs > atMs);
      const [earliest] = later;
      if (earliest === undefined) {
        this.#pasts.delete(id);
        continue;
      }
      this.#pasts.set(id, later);
      if (earliest.before === null) records.delete(id);
      else records.set(id, earliest.before);
    }
    return [...records.values()];
  }
}

const LAG_MS = { none: 0, '2s': 2000, '10s': 10_000 };

/** The outcome of a contact whose id is no longer valid. */
type Departed =
  | { readonly kind: 'deleted'; readonly record: ContactRecord }
  | { readonly kind: 'merged'; readonly survivorId: string };

/** Contacts by id, their buckets, and the outcome of deleted and merged ones. All changes pass through `store`. */
export class ContactBook {
  /** Increases with every change. A list computed at one revision is valid until the next one. */
  revision = 0;
  readonly #contacts = new Map<string, ContactRecord>();
  readonly #departed = new Map<string, Departed>();
  /** Bucket id -> ids of its contacts. Always consistent with the contacts' own `bucketIds`. */
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

  listed(): readonly ContactRecord[] {
    const lagMs = LAG_MS[this.#variants().listLag];
    const records = lagMs > 0 ? this.#lagged.asOf(this.#now() - lagMs, this.#contacts) : this.all();
    return records.filter((contact) => contact.archivedAtMs === null);
  }

  /** Returns the contacts of a bucket that are not archived, oldest first. */
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

  /** Returns the contact with the id. Throws the service's ServiceError if it does not exist. */
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
