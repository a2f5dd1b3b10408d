import type { ServiceAccount } from './account.ts';
import { formatTimestamp } from './ids-and-times.ts';
import type { BucketRecord, ContactRecord, UserRecord } from './records.ts';
import type { ServiceVariants } from './variants.ts';

/** The context of a resource's JSON in addition to its record. */
export type RenderContext = { readonly account: ServiceAccount; readonly variants: ServiceVariants };

/** Formats timestamps as the variants require. With `mixed`, contacts have another format than other resources. */
const timeWriter = (resource: 'contact' | 'other', { timestampFormat }: ServiceVariants) => {
  const mixed = resource === 'contact' ? 'iso' : 'utc-text';
  const format = timestampFormat === 'mixed' ? mixed : timestampFormat;
  return (epochMs: number | null): string | null => (epochMs === null ? null : formatTimestamp(epochMs, format));
};

const stored = (record: { id: string; createdAtMs: number; updatedAtMs: number }, variants: ServiceVariants) => {
  const time = timeWriter('other', variants);
  return { id: record.id, created_at: time(record.createdAtMs), updated_at: time(record.updatedAtMs) };
};

/** Returns a text without a value. By the documented types, the names and the title are strings. */
const emptyText = (isNullable: boolean, { emptyScalar }: ServiceVariants): string | null => {
  switch (emptyScalar) {
    case 'documented':
      return isNullable ? null : '';
    case 'null':
      return null;
    case 'empty-string':
      return '';
  }
};

export const renderUser = (user: UserRecord, { variants }: RenderContext) => ({
  ...stored(user, variants),
  first_name: user.first_name,
  last_name: user.last_name,
  email: user.email,
  avatar_url: user.avatar_url,
  role: null,
  status: 'active',
});

/** Returns the user for a token with only user:login: id, name and email (providers/service/API.md, Authentication). */
export const renderPartialUser = ({ id, first_name, last_name, email }: UserRecord) => ({
  id,
  first_name,
  last_name,
  email,
});

export const renderBucket = (bucket: BucketRecord, { account, variants }: RenderContext) => {
  const total = account.book.memberCount(bucket.id);
  return {
    ...stored(bucket, variants),
    name: bucket.name,
    goal: bucket.goal,
    reminder_interval: bucket.reminder_interval,
    extra_data: {
      cloned_from_id: null,
      contact_count: total,
      relationship_status: { none: total, strong: 0, fading: 0, weak: 0, rpa: 0, total, grade: 'A' },
      permissions: {},
      lead_pool: null,
    },
  };
};

const renderCustomField = (
  { id, value }: ContactRecord['customFields'][number],
  { account, variants }: RenderContext,
) => {
  if (variants.customFieldShape === 'id-value') return { id, value };
  const definition = account.customFields.get(id);
  const type = definition !== undefined && variants.customFieldType === 'stated' ? { type: definition.type } : {};
  return { field: { id, name: definition?.name ?? id, ...type }, value };
};

const renderContactExtra = (contact: ContactRecord, context: RenderContext) => {
  const { account, variants } = context;
  const time = timeWriter('contact', variants);
  return {
    last_contacted: time(contact.lastContactedAtMs),
    muted_at: null,
    team_last_contacted_at: time(contact.lastContactedAtMs),
    team_last_contacted_by_id: contact.lastContactedAtMs === null ? null : account.user.id,
    last_bucketed_at: time(contact.lastBucketedAtMs),
    user_last_contacted_at: time(contact.lastContactedAtMs),
    relationship_status: contact.relationshipStatus,
    buckets: contact.bucketIds.flatMap((id) => {
      const bucket = account.bucket(id);
      return bucket === undefined ? [] : [{ id, name: bucket.name, reminder_interval: bucket.reminder_interval }];
    }),
    sources: [],
    lead_pools: [],
    associated_tags: [],
    followup_source: null,
    team_last_contacted_by: null,
    associated_company: null,
    associated_location: null,
    assigned_to:
      contact.assignedToId === account.user.id && variants.assignedTo === 'user'
        ? renderUser(account.user, context)
        : null,
    ...(contact.archivedAtMs === null ? {} : { archived_at: time(contact.archivedAtMs) }),
  };
};

export const renderContact = (contact: ContactRecord, context: RenderContext) => {
  const { variants } = context;
  const time = timeWriter('contact', variants);
  return {
    id: contact.id,
    created_at: time(contact.createdAtMs),
    updated_at: time(contact.updatedAtMs),
    first_name: contact.first_name ?? emptyText(false, variants),
    last_name: contact.last_name ?? emptyText(false, variants),
    title: contact.title ?? emptyText(false, variants),
    company: contact.company ?? emptyText(true, variants),
    location: null,
    avatar_url: contact.avatar_url ?? emptyText(true, variants),
    tags: contact.tags,
    assigned_to_id: contact.assignedToId,
    addresses: contact.addresses,
    email_addresses: contact.email_addresses,
    social_media_profiles: contact.social_media_profiles,
    websites: contact.websites,
    phone_numbers: contact.phone_numbers,
    custom_fields: contact.customFields.map((field) => renderCustomField(field, context)),
    extra_data: renderContactExtra(contact, context),
  };
};

/** Returns the value without keys that are null, at any depth. */
const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutNulls(inner)]));
};

/** Returns the body as text. If the variants require it, fields without a value are omitted, except those of `meta`. */
export const renderBody = (body: object, { nullFields }: ServiceVariants): string => {
  if (nullFields === 'null' || !('data' in body)) return JSON.stringify(body);
  return JSON.stringify({ ...body, data: withoutNulls(body.data) });
};
