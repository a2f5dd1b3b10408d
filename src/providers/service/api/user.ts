import { z } from 'zod';
import type { ListParameters, TimeBounds } from './list-parameters.ts';
import { listPages, rowsOf, type ListRequest, type Page } from './paging.ts';
import { call } from './resource.ts';
import {
  connectedAccountSchema,
  emailAliasSchema,
  notificationSchema,
  promptSchema,
  taskSchema,
  userSchema,
  type ConnectedAccount,
  type EmailAlias,
  type Notification,
  type Prompt,
  type Task,
  type User,
  type UserWrite,
} from './schemas-user.ts';
import type { Send } from './send.ts';

type Stamped = 'id' | 'created_at' | 'updated_at';

/** Parameters of GET /v2/me/notifications. */
export type NotificationListParameters = ListParameters<Stamped> & TimeBounds<'read_at'> & { readonly read?: boolean };

/** Parameters of GET /v2/me/prompts; without `order` by -due_at,-created_at. */
export type PromptListParameters = ListParameters<Stamped | 'due_at'> & TimeBounds<'due_at'>;

/** Parameters of GET /v2/me/tasks; without `order` by -due_at,-created_at. */
export type TaskListParameters = ListParameters<Stamped | 'due_at' | 'completed_at'> &
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
  get: (signal: AbortSignal): Promise<User> => call(send, userSchema, { method: 'GET', route: '/v2/me' }, signal),

  /** PATCH /v2/me: only the values sent are changed. Scopes: user:manage or all:manage. */
  update: (user: UserWrite, signal: AbortSignal): Promise<User> =>
    call(send, userSchema, { method: 'PATCH', route: '/v2/me', body: { data: user } }, signal),

  /**
   * GET /v2/me/connected-accounts, page by page. Scopes: one of connected-accounts:view, connected-accounts:manage,
   * all:view, all:manage.
   */
  listConnectedAccounts: (
    parameters: ListParameters<Stamped>,
    signal: AbortSignal,
  ): AsyncIterable<Page<ConnectedAccount>> =>
    listPages(send, listOf('/v2/me/connected-accounts', connectedAccountSchema, parameters), signal),

  /** GET /v2/me/connected-accounts/{id}. Scopes as for `listConnectedAccounts`. */
  getConnectedAccount: (id: string, signal: AbortSignal): Promise<ConnectedAccount> =>
    call(send, connectedAccountSchema, { method: 'GET', route: '/v2/me/connected-accounts/{id}', id }, signal),

  /** GET /v2/me/email-aliases, page by page. Scope: user:login. */
  listEmailAliases: (signal: AbortSignal): AsyncIterable<Page<EmailAlias>> =>
    listPages(send, listOf('/v2/me/email-aliases', emailAliasSchema), signal),

  /** GET /v2/me/notifications, page by page. Scopes: one of user:basic, user:manage, all:view, all:manage. */
  listNotifications: (parameters: NotificationListParameters, signal: AbortSignal): AsyncIterable<Page<Notification>> =>
    listPages(send, listOf('/v2/me/notifications', notificationSchema, parameters), signal),

  /** GET /v2/me/prompts, page by page. Scopes: one of user:basic, user:manage, all:view, all:manage. */
  listPrompts: (parameters: PromptListParameters, signal: AbortSignal): AsyncIterable<Page<Prompt>> =>
    listPages(send, listOf('/v2/me/prompts', promptSchema, parameters), signal),

  /**
   * PUT /v2/me/prompts/{id}/postpone: until `postponeUntilMs` (epoch milliseconds), with null for two weeks.
   * Scopes: one of user:basic, user:manage, all:manage.
   */
  postponePrompt: (id: string, postponeUntilMs: number | null, signal: AbortSignal): Promise<Prompt> => {
    const route = '/v2/me/prompts/{id}/postpone';
    if (postponeUntilMs === null) return call(send, promptSchema, { method: 'PUT', route, id }, signal);
    const body = { data: { postpone_until: new Date(postponeUntilMs).toISOString() } };
    return call(send, promptSchema, { method: 'PUT', route, id, body }, signal);
  },

  /**
   * POST /v2/me/prompts/generate: makes new prompts from the bucketing, program and deal rules of now.
   * Scopes: one of user:basic, user:manage, all:view, all:manage.
   */
  generatePrompts: (signal: AbortSignal): Promise<Prompt[]> =>
    call(send, z.array(promptSchema), { method: 'POST', route: '/v2/me/prompts/generate' }, signal),

  /** GET /v2/me/tasks, page by page. Scopes: one of tasks:view, tasks:manage, all:view, all:manage. */
  listTasks: (parameters: TaskListParameters, signal: AbortSignal): AsyncIterable<Page<Task>> =>
    listPages(send, listOf('/v2/me/tasks', taskSchema, parameters), signal),
});
