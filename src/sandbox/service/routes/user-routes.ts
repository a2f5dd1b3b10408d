import { z } from 'zod';
import type { ServiceActivity } from '../activity.ts';
import { notFound } from '../errors.ts';
import { isPermitted } from '../grants.ts';
import { parseTimestamp } from '../ids-and-times.ts';
import { listAnswer, storedOrders, storedTimes, subListAnswer, unsorted } from '../list-answer.ts';
import type { ListSpec } from '../listing.ts';
import type { ConnectedAccountRecord, NotificationRecord, PromptRecord, TaskRecord } from '../records.ts';
import {
  renderConnectedAccount,
  renderEmailAlias,
  renderNotification,
  renderPartialUser,
  renderPrompt,
  renderTask,
  renderUser,
  type RenderContext,
} from '../render.ts';
import { parseData, type Route, type RouteAnswer, type RouteRequest, single, UPDATE } from '../route.ts';

const userFields = z.object({
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  email: z.string().optional(),
  avatar_url: z.string().nullish(),
  settings: z
    .object({
      default_message_subject: z.string(),
      default_message_bcc: z.string(),
      email_signature: z.string(),
      time_zone: z.string(),
    })
    .partial()
    .transform((settings) => ({ ...settings }) as Record<string, string>)
    .optional(),
});

const connectedAccountList: ListSpec<ConnectedAccountRecord> = {
  times: storedTimes,
  orders: storedOrders,
  defaultOrder: 'id',
};

const notificationList: ListSpec<NotificationRecord> = {
  times: { ...storedTimes, read_at: (notification) => notification.readAtMs },
  orders: storedOrders,
  defaultOrder: 'id',
  filter: (name, value) => (name === 'read' ? ({ readAtMs }) => (readAtMs !== null) === (value === 'true') : undefined),
};

const promptList: ListSpec<PromptRecord> = {
  times: { ...storedTimes, due_at: (prompt) => prompt.dueAtMs },
  orders: { ...storedOrders, due_at: (prompt) => prompt.dueAtMs },
  defaultOrder: '-due_at,-created_at',
};

const taskList: ListSpec<TaskRecord> = {
  times: { ...storedTimes, due_at: (task) => task.dueAtMs, completed_at: (task) => task.completedAtMs },
  orders: { ...storedOrders, due_at: (task) => task.dueAtMs, completed_at: (task) => task.completedAtMs },
  defaultOrder: '-due_at,-created_at',
  filter: (name, value) =>
    name === 'completed' ? ({ completedAtMs }) => (completedAtMs !== null) === (value === 'true') : undefined,
};

const FULL_USER = ['user:basic', 'user:manage', 'all:view', 'all:manage'];

const getMe = (request: RouteRequest): RouteAnswer => {
  const { user } = request.account;
  return single(isPermitted(FULL_USER, request.scopes) ? renderUser(user, request) : renderPartialUser(user));
};

const getConnectedAccount = (request: RouteRequest): RouteAnswer => {
  const found = request.account.activity.connectedAccounts.find(({ id }) => id === request.id);
  if (found === undefined) throw notFound(request.variants, request.id);
  return single(renderConnectedAccount(found, request));
};

const postponement = z
  .object({ postpone_until: z.string().transform(parseTimestamp).pipe(z.number('is not ISO 8601')).optional() })
  .optional();

const postponePrompt = (request: RouteRequest): RouteAnswer => {
  const data = request.body === undefined ? undefined : parseData(postponement, request);
  const prompt = request.account.activity.postponePrompt(request.id, data?.postpone_until ?? null);
  if (prompt === undefined) throw notFound(request.variants, request.id);
  return single(renderPrompt(prompt, request));
};

const updateMe = (request: RouteRequest): RouteAnswer =>
  single(renderUser(request.account.updateUser(parseData(userFields, request)), request));

const listEmailAliases = (request: RouteRequest): RouteAnswer =>
  subListAnswer(request.account.activity.emailAliases, renderEmailAlias, request);

const generatePrompts = (request: RouteRequest): RouteAnswer =>
  subListAnswer(request.account.generatePrompts(), renderPrompt, request);

/** Returns the answer of a route that lists a part of the account's activity. */
const listOf =
  <T extends { readonly serial: number }>(
    itemsOf: (activity: ServiceActivity) => readonly T[],
    spec: ListSpec<T>,
    render: (item: T, context: RenderContext) => object,
  ): Route['answer'] =>
  (request) =>
    listAnswer(unsorted(itemsOf(request.account.activity)), spec, render, request);

const listConnectedAccounts = listOf(
  ({ connectedAccounts }) => connectedAccounts,
  connectedAccountList,
  renderConnectedAccount,
);
const listNotifications = listOf(({ notifications }) => notifications, notificationList, renderNotification);
const listPrompts = listOf((activity) => activity.prompts(), promptList, renderPrompt);
const listTasks = listOf(({ tasks }) => tasks, taskList, renderTask);

const LOGIN = ['user:login'];
const MANAGE = ['user:manage', 'all:manage'];
const ACCOUNTS = ['connected-accounts:view', 'connected-accounts:manage', 'all:view', 'all:manage'];
const TASKS = ['tasks:view', 'tasks:manage', 'all:view', 'all:manage'];
const POSTPONE = ['user:basic', 'user:manage', 'all:manage'];

export const USER_ROUTES: readonly Route[] = [
  { methods: ['GET'], path: '/v2/me', scopes: [...LOGIN, ...FULL_USER], answer: getMe },
  { methods: UPDATE, path: '/v2/me', scopes: MANAGE, answer: updateMe },
  { methods: ['GET'], path: '/v2/me/connected-accounts', scopes: ACCOUNTS, answer: listConnectedAccounts },
  { methods: ['GET'], path: '/v2/me/connected-accounts/:id', scopes: ACCOUNTS, answer: getConnectedAccount },
  { methods: ['GET'], path: '/v2/me/email-aliases', scopes: LOGIN, answer: listEmailAliases },
  { methods: ['GET'], path: '/v2/me/notifications', scopes: FULL_USER, answer: listNotifications },
  { methods: ['GET'], path: '/v2/me/prompts', scopes: FULL_USER, answer: listPrompts },
  { methods: UPDATE, path: '/v2/me/prompts/:id/postpone', scopes: POSTPONE, answer: postponePrompt },
  { methods: ['POST'], path: '/v2/me/prompts/generate', scopes: FULL_USER, answer: generatePrompts },
  { methods: ['GET'], path: '/v2/me/tasks', scopes: TASKS, answer: listTasks },
];
