import { z } from 'zod';

/**
 * The resources of the service as documented (src/providers/service/API.md, Resources and their fields): every field
 * and no other, each with its documented type. The schemas are made from the documentation only. They apply to answers
 * of the emulator with the most likely behaviour where the documentation is unclear.
 */
const timestamp = z.string().regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} UTC$/u);
const timestampOrNull = timestamp.nullable();
const textOrNull = z.string().nullable();
const numberOrNull = z.number().nullable();
const idOf = (kind: string) => z.string().regex(new RegExp(`^${kind}_\\d+$`, 'u'));
const entryId = z.uuid();
const stamped = (kind: string) => ({ id: idOf(kind), created_at: timestamp, updated_at: timestamp });

export const user = z.strictObject({
  ...stamped('user'),
  first_name: z.string(),
  last_name: z.string(),
  email: z.string(),
  avatar_url: textOrNull,
  role: z.null(),
  status: z.literal('active'),
});

/** With only user:login: identifier, name and email (Authentication, Scopes). */
export const partialUser = user.pick({ id: true, first_name: true, last_name: true, email: true });

export const bucket = z.strictObject({
  ...stamped('bucket'),
  name: z.string(),
  goal: textOrNull,
  reminder_interval: numberOrNull,
  extra_data: z.strictObject({
    cloned_from_id: z.null(),
    contact_count: z.number(),
    relationship_status: z.strictObject({
      none: z.number(),
      strong: z.number(),
      fading: z.number(),
      weak: z.number(),
      rpa: z.number(),
      total: z.number(),
      grade: z.string(),
    }),
    permissions: z.unknown(),
    lead_pool: z.null(),
  }),
});

const label = textOrNull;

/** The shape of an entry of `custom_fields` is not documented. */
export const contact = z.strictObject({
  ...stamped('contact'),
  first_name: z.string(),
  last_name: z.string(),
  title: z.string(),
  company: textOrNull,
  location: textOrNull,
  avatar_url: textOrNull,
  tags: z.array(z.string()),
  assigned_to_id: textOrNull,
  addresses: z.array(
    z.strictObject({
      id: entryId,
      full_address: z.string(),
      label,
      street_1: textOrNull,
      street_2: textOrNull,
      city: textOrNull,
      state: textOrNull,
      zip: textOrNull,
      country: textOrNull,
    }),
  ),
  email_addresses: z.array(z.strictObject({ id: idOf('contact_identity'), label, address: z.string() })),
  social_media_profiles: z.array(z.strictObject({ id: entryId, label, url: z.string() })),
  websites: z.array(z.strictObject({ id: entryId, label, address: z.string() })),
  phone_numbers: z.array(z.strictObject({ id: entryId, label, number: z.string() })),
  custom_fields: z.array(z.unknown()),
  extra_data: z.strictObject({
    last_contacted: timestampOrNull,
    muted_at: timestampOrNull,
    team_last_contacted_at: timestampOrNull,
    team_last_contacted_by_id: textOrNull,
    last_bucketed_at: timestampOrNull,
    user_last_contacted_at: timestampOrNull,
    relationship_status: z.literal('none'),
    buckets: z.array(z.strictObject({ id: idOf('bucket'), name: z.string(), reminder_interval: numberOrNull })),
    sources: z.array(z.unknown()),
    lead_pools: z.array(z.unknown()),
    associated_tags: z.array(z.unknown()),
    followup_source: z.null(),
    team_last_contacted_by: z.null(),
    associated_company: z.null(),
    associated_location: z.null(),
    assigned_to: z.null(),
  }),
});

/** POST /oauth2/token (Authorization endpoints). */
export const grant = z.strictObject({
  access_token: z.string().min(1),
  email: z.email(),
  first_name: z.string(),
  last_name: z.string(),
  token_type: z.literal('bearer'),
  user_id: z.number(),
});

/** General conventions: a single resource. */
export const one = (resource: z.ZodType) => z.strictObject({ data: resource, meta: z.strictObject({}) });

/** General conventions: a list. It is never empty here, so that a row is checked. */
export const listOf = (resource: z.ZodType) =>
  z.strictObject({
    meta: z.strictObject({
      total: z.number(),
      next_page: z.union([z.string(), z.number(), z.null()]),
      previous_page: z.union([z.string(), z.number(), z.null()]),
    }),
    data: z.array(resource).min(1).max(50),
  });

/** A list that the call itself may have emptied. */
export const listLeft = (resource: z.ZodType) => listOf(resource).extend({ data: z.array(resource).max(50) });
