import { z } from 'zod';
import type { ListParameters, TimeBounds } from './list-parameters.ts';
import { listPages, type ListRequest, rowsOf } from './paging.ts';
import { call } from './resource.ts';
import { opaque, optionalId, optionalObject, optionalText, optionalTimestamp, stamps, text } from './schemas-common.ts';
import { contactSchema } from './schemas-contacts.ts';
import type { Send } from './send.ts';

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

/** The writable fields of the user (PATCH /v2/me). */
type UserWrite = {
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

const connectedAccountSchema = z.object({
  ...stamps,
  handle: text,
  external_id: text,
  type: text,
  extra_data: optionalObject({
    status: optionalObject({ contact_sync_status: opaque, message_sync_status: opaque }),
  }),
});

const emailAliasSchema = z.object({ id: stamps.id, email_alias: text });

export const notificationSchema = z.object({
  ...stamps,
  type: opaque,
  title: text,
  link: text,
  level: text,
  /** Null: not read. */
  read_at: optionalTimestamp,
});

/** A follow-up reminder that the service created; its id has the prefix of tasks. */
export const promptSchema = z.object({
  ...stamps,
  link: text,
  type: text,
  contact: contactSchema.nullish(),
  extra_data: optionalObject({ program: opaque }),
});

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

type Stamped = 'id' | 'created_at' | 'updated_at';

/** Parameters of GET /v2/me/notifications. */
type NotificationListParameters = ListParameters<Stamped> & TimeBounds<'read_at'> & { readonly read?: boolean };

/** Parameters of GET /v2/me/prompts; without `order` by -due_at,-created_at. */
type PromptListParameters = ListParameters<Stamped | 'due_at'> & TimeBounds<'due_at'>;

/** Parameters of GET /v2/me/tasks; without `order` by -due_at,-created_at. */
type TaskListParameters = ListParameters<Stamped | 'due_at' | 'completed_at'> &
  TimeBounds<'due_at' | 'completed_at'> & { readonly completed?: boolean };

const listOf = <Row>(
  route: string,
  schema: z.ZodType<Row>,
  parameters: ListRequest<Row>['parameters'] = {},
): ListRequest<Row> => ({ route, parameters, parseRows: rowsOf(schema) });

/** User routes (API.md, User routes). Every operation throws a RemoteError or the signal's reason. */
export const createUserApi = (send: Send) => ({
  /**
   * GET /v2/me. Scopes: one of user:login, user:basic, user:manage, all:view, all:manage; with only user:login the answer
   * is partial.
   */
  get: (signal: AbortSignal) => call(send, userSchema, { method: 'GET', route: '/v2/me' }, signal),

  /** PATCH /v2/me: only the values sent are changed. Scopes: user:manage or all:manage. */
  update: (user: UserWrite, signal: AbortSignal) =>
    call(send, userSchema, { method: 'PATCH', route: '/v2/me', body: { data: user } }, signal),

  /**
   * GET /v2/me/connected-accounts, page by page. Scopes: one of connected-accounts:view, connected-accounts:manage,
   * all:view, all:manage.
   */
  listConnectedAccounts: (parameters: ListParameters<Stamped>, signal: AbortSignal) =>
    listPages(send, listOf('/v2/me/connected-accounts', connectedAccountSchema, parameters), signal),

  /** GET /v2/me/connected-accounts/{id}. Scopes as for `listConnectedAccounts`. */
  getConnectedAccount: (id: string, signal: AbortSignal) =>
    call(send, connectedAccountSchema, { method: 'GET', route: '/v2/me/connected-accounts/{id}', id }, signal),

  /** GET /v2/me/email-aliases, page by page. Scope: user:login. */
  listEmailAliases: (signal: AbortSignal) => listPages(send, listOf('/v2/me/email-aliases', emailAliasSchema), signal),

  /** GET /v2/me/notifications, page by page. Scopes: one of user:basic, user:manage, all:view, all:manage. */
  listNotifications: (parameters: NotificationListParameters, signal: AbortSignal) =>
    listPages(send, listOf('/v2/me/notifications', notificationSchema, parameters), signal),

  /** GET /v2/me/prompts, page by page. Scopes: one of user:basic, user:manage, all:view, all:manage. */
  listPrompts: (parameters: PromptListParameters, signal: AbortSignal) =>
    listPages(send, listOf('/v2/me/prompts', promptSchema, parameters), signal),

  /**
   * PUT /v2/me/prompts/{id}/postpone: until `postponeUntilMs` (epoch milliseconds), with null for two weeks.
   * Scopes: one of user:basic, user:manage, all:manage.
   */
  postponePrompt: (id: string, postponeUntilMs: number | null, signal: AbortSignal) => {
    const route = '/v2/me/prompts/{id}/postpone';
    if (postponeUntilMs === null) return call(send, promptSchema, { method: 'PUT', route, id }, signal);
    const body = { data: { postpone_until: new Date(postponeUntilMs).toISOString() } };
    return call(send, promptSchema, { method: 'PUT', route, id, body }, signal);
  },

  /**
   * POST /v2/me/prompts/generate: creates prompts from the current bucketing, program and deal rules.
   * Scopes: one of user:basic, user:manage, all:view, all:manage.
   */
  generatePrompts: (signal: AbortSignal) =>
    call(send, z.array(promptSchema), { method: 'POST', route: '/v2/me/prompts/generate' }, signal),

  /** GET /v2/me/tasks, page by page. Scopes: one of tasks:view, tasks:manage, all:view, all:manage. */
  listTasks: (parameters: TaskListParameters, signal: AbortSignal) =>
    listPages(send, listOf('/v2/me/tasks', taskSchema, parameters), signal),
});
