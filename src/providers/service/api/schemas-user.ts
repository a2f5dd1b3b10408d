import { z } from 'zod';
import { contactSchema } from './schemas-contacts.ts';
import { opaque, optionalId, optionalObject, optionalText, optionalTimestamp, stamps, text } from './schemas-common.ts';

/** User (API.md, Resources and their fields); with only the scope user:login most fields are null. */
export const userSchema = z.object({
  ...stamps,
  first_name: optionalText,
  last_name: optionalText,
  email: optionalText,
  avatar_url: optionalText,
  role: opaque,
  status: optionalText,
});
export type User = z.output<typeof userSchema>;

/** The writable fields of the user (PATCH /v2/me). */
export type UserWrite = {
  readonly first_name?: string;
  readonly last_name?: string;
  readonly email?: string;
  readonly avatar_url?: string | null;
  readonly settings?: {
    readonly default_message_subject?: string;
    readonly default_message_bcc?: string;
    readonly email_signature?: string;
    readonly time_zone?: string;
  };
};

export const connectedAccountSchema = z.object({
  ...stamps,
  handle: text,
  external_id: text,
  type: text,
  extra_data: optionalObject({
    status: optionalObject({ contact_sync_status: opaque, message_sync_status: opaque }),
  }),
});
export type ConnectedAccount = z.output<typeof connectedAccountSchema>;

export const emailAliasSchema = z.object({ id: stamps.id, email_alias: text });
export type EmailAlias = z.output<typeof emailAliasSchema>;

export const notificationSchema = z.object({
  ...stamps,
  type: opaque,
  title: text,
  link: text,
  level: text,
  /** Null: not read. */
  read_at: optionalTimestamp,
});
export type Notification = z.output<typeof notificationSchema>;

/** A follow-up reminder that the service made; its id has the prefix of tasks. */
export const promptSchema = z.object({
  ...stamps,
  link: text,
  type: text,
  contact: contactSchema.nullish(),
  extra_data: optionalObject({ program: opaque }),
});
export type Prompt = z.output<typeof promptSchema>;

export const taskSchema = z.object({
  ...stamps,
  assigned_to_id: optionalId,
  contact_id: optionalId,
  due_at: optionalTimestamp,
  title: text,
  extra_data: optionalObject({
    assigned_at: optionalTimestamp,
    /** Null: not completed. */
    completed_at: optionalTimestamp,
    contact: contactSchema.nullish(),
    created_by: opaque,
    assigned_by: opaque,
    assigned_to: userSchema.nullish(),
  }),
});
export type Task = z.output<typeof taskSchema>;
