import { z } from 'zod';
import { contactSchema } from './schemas-contacts.ts';
import {
  listOf,
  opaque,
  optionalBoolean,
  optionalId,
  optionalNumber,
  optionalObject,
  optionalText,
  optionalTimestamp,
  stamps,
  text,
} from './schemas-common.ts';
import { userSchema } from './schemas-user.ts';

const participant = z.object({
  contact_id: optionalId,
  handle: optionalText,
  extra_data: optionalObject({ first_name: optionalText, last_name: optionalText, avatar_url: optionalText }),
});

/** Interaction (API.md, Resources and their fields). */
export const interactionSchema = z.object({
  ...stamps,
  body: optionalText,
  initiated_by_contact: optionalBoolean,
  subject: text,
  timestamp: optionalTimestamp,
  type: text,
  participants: listOf(participant),
  extra_data: optionalObject({
    editable: optionalBoolean,
    participant_count: optionalNumber,
    placeholder: optionalBoolean,
    contact_id: optionalId,
    contact_handle: optionalText,
    associated_account_id: opaque,
    associated_user: userSchema.nullish(),
    contact: contactSchema.nullish(),
  }),
});
export type Interaction = z.output<typeof interactionSchema>;

/** The fields of an interaction that an edit may send; which of them the service takes is not documented. */
export type InteractionWrite = {
  readonly body?: string | null;
  readonly initiated_by_contact?: boolean;
  readonly subject?: string;
  /** ISO 8601. */
  readonly timestamp?: string;
  readonly type?: string;
  readonly participants?: readonly { readonly contact_id?: string; readonly handle?: string }[];
};
