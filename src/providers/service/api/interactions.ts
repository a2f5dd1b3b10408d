import { z } from 'zod';
import { call } from './resource.ts';
import {
  arrayOf,
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
import { contactSchema } from './schemas-contacts.ts';
import { userSchema } from './user.ts';
import type { Send } from './send.ts';

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
  participants: arrayOf(participant),
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

/** The fields of an interaction that an edit may send. It is not documented which of them the service accepts. */
type InteractionWrite = {
  readonly body?: string | null;
  readonly initiated_by_contact?: boolean;
  readonly subject?: string;
  /** ISO 8601. */
  readonly timestamp?: string;
  readonly type?: string;
  readonly participants?: readonly { readonly contact_id?: string; readonly handle?: string }[];
};

/** Interaction routes (API.md, Interaction). Every operation throws a RemoteError or the signal's reason. */
export const createInteractionsApi = (send: Send) => ({
  /** PATCH /v2/interactions/{id}: only the values sent are changed. Scopes: not documented. */
  update: (id: string, interaction: InteractionWrite, signal: AbortSignal): Promise<Interaction> => {
    const body = { data: interaction };
    return call(send, interactionSchema, { method: 'PATCH', route: '/v2/interactions/{id}', id, body }, signal);
  },
});
