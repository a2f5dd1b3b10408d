/** A stored record. Names in snake_case are documented fields; the others are internal to the emulator. */
type Stored = {
  readonly id: string;
  /** The number in the id. */
  readonly serial: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

/** An entry of one of a contact's lists. */
type Entry = { readonly id: string; readonly label: string | null };

/** A contact. A text without a value is null. Immutable: a change stores another record. */
export type ContactRecord = Stored & {
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly title: string | null;
  readonly company: string | null;
  readonly avatar_url: string | null;
  readonly tags: readonly string[];
  readonly addresses: readonly (Entry & {
    readonly full_address: string;
    readonly street_1: string | null;
    readonly street_2: string | null;
    readonly city: string | null;
    readonly state: string | null;
    readonly zip: string | null;
    readonly country: string | null;
  })[];
  readonly email_addresses: readonly (Entry & { readonly address: string })[];
  readonly social_media_profiles: readonly (Entry & { readonly url: string })[];
  readonly websites: readonly (Entry & { readonly address: string })[];
  readonly phone_numbers: readonly (Entry & { readonly number: string })[];
  readonly customFields: readonly { readonly id: string; readonly value: unknown }[];
  readonly bucketIds: readonly string[];
  readonly lastBucketedAtMs: number | null;
  readonly lastContactedAtMs: number | null;
  readonly relationshipStatus: string;
  readonly assignedToId: string | null;
  readonly archivedAtMs: number | null;
};

export type BucketRecord = Stored & {
  readonly name: string;
  readonly goal: string | null;
  readonly reminder_interval: number | null;
};

export type UserRecord = Stored & {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly avatar_url: string | null;
};
