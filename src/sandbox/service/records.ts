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
  /** A teammate's contact: listed only with `team_search=true`. */
  readonly isTeamContact: boolean;
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
  readonly settings: Readonly<Record<string, string>>;
};

export type ConnectedAccountRecord = Stored & { readonly handle: string; readonly external_id: string };
export type EmailAliasRecord = Stored & { readonly email_alias: string };

export type NotificationRecord = Stored & {
  readonly title: string;
  readonly link: string;
  readonly readAtMs: number | null;
};

export type PromptRecord = Stored & {
  readonly contactId: string;
  readonly dueAtMs: number;
  readonly postponedUntilMs: number | null;
};

export type TaskRecord = Stored & {
  readonly title: string;
  readonly contactId: string;
  readonly dueAtMs: number;
  readonly assignedAtMs: number | null;
  readonly completedAtMs: number | null;
};

export type InteractionRecord = Stored & {
  readonly contactId: string;
  readonly handle: string;
  readonly subject: string;
  readonly body: string | null;
  readonly type: string;
  readonly initiated_by_contact: boolean;
  readonly timestampMs: number;
};
