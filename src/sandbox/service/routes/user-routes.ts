import { z } from 'zod';
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
} from '../render.ts';
import { anyOf, parseData, type Route, type RouteAnswer, type RouteRequest, single, UPDATE } from '../route.ts';

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

const FULL_USER_SCOPES = ['user:basic', 'user:manage', 'all:view', 'all:manage'];

const getMe = (request: RouteRequest): RouteAnswer => {
  const { user } = request.account;
  return single(isPermitted(FULL_USER_SCOPES, request.scopes) ? renderUser(user, request) : renderPartialUser(user));
};

const getConnectedAccount = (request: RouteRequest): RouteAnswer => {
  const found = request.account.activity.connectedAccounts.find(({ id }) => id === request.id);
  if (found === undefined) throw notFound(request.variants, request.id);
  return single(renderConnectedAccount(found, request));
};

const listPrompts = (request: RouteRequest): RouteAnswer =>
  listAnswer(unsorted(request.account.activity.prompts()), promptList, renderPrompt, request);

const postponement = z
  .object({ postpone_until: z.string().transform(parseTimestamp).pipe(z.number('is not ISO 8601')).optional() })
  .optional();

const postponePrompt = (request: RouteRequest): RouteAnswer => {
  const data = request.body === undefined ? undefined : parseData(postponement, request);
  const prompt = request.account.activity.postponePrompt(request.id, data?.postpone_until ?? null);
  if (prompt === undefined) throw notFound(request.variants, request.id);
  return single(renderPrompt(prompt, request));
};

/** The documented user routes. */
export const USER_ROUTES: readonly Route[] = [
  { methods: ['GET'], path: '/v2/me', scopes: anyOf('user:login', ...FULL_USER_SCOPES), answer: getMe },
  {
    methods: UPDATE,
    path: '/v2/me',
    scopes: anyOf('user:manage', 'all:manage'),
    answer: (request) => single(renderUser(request.account.updateUser(parseData(userFields, request)), request)),
  },
  {
    methods: ['GET'],
    path: '/v2/me/connected-accounts',
    scopes: anyOf('connected-accounts:view', 'connected-accounts:manage', 'all:view', 'all:manage'),
    answer: (request) =>
      listAnswer(
        unsorted(request.account.activity.connectedAccounts),
        connectedAccountList,
        renderConnectedAccount,
        request,
      ),
  },
  {
    methods: ['GET'],
    path: '/v2/me/connected-accounts/:id',
    scopes: anyOf('connected-accounts:view', 'connected-accounts:manage', 'all:view', 'all:manage'),
    answer: getConnectedAccount,
  },
  {
    methods: ['GET'],
    path: '/v2/me/email-aliases',
    scopes: anyOf('user:login'),
    answer: (request) => subListAnswer(request.account.activity.emailAliases, renderEmailAlias, request),
  },
  {
    methods: ['GET'],
    path: '/v2/me/notifications',
    scopes: anyOf(...FULL_USER_SCOPES),
    answer: (request) =>
      listAnswer(unsorted(request.account.activity.notifications), notificationList, renderNotification, request),
  },
  { methods: ['GET'], path: '/v2/me/prompts', scopes: anyOf(...FULL_USER_SCOPES), answer: listPrompts },
  {
    methods: UPDATE,
    path: '/v2/me/prompts/:id/postpone',
    scopes: anyOf('user:basic', 'user:manage', 'all:manage'),
    answer: postponePrompt,
  },
  {
    methods: ['POST'],
    path: '/v2/me/prompts/generate',
    scopes: anyOf(...FULL_USER_SCOPES),
    answer: (request) => subListAnswer(request.account.generatePrompts(), renderPrompt, request),
  },
  {
    methods: ['GET'],
    path: '/v2/me/tasks',
    scopes: anyOf('tasks:view', 'tasks:manage', 'all:view', 'all:manage'),
    answer: (request) => listAnswer(unsorted(request.account.activity.tasks), taskList, renderTask, request),
  },
];
