import { isPermitted } from '../grants.ts';
import { renderPartialUser, renderUser } from '../render.ts';
import { type Route, type RouteAnswer, type RouteRequest, single } from '../route.ts';

const FULL_USER = ['user:basic', 'user:manage', 'all:view', 'all:manage'];

const getMe = (request: RouteRequest): RouteAnswer => {
  const { user } = request.account;
  return single(isPermitted(FULL_USER, request.scopes) ? renderUser(user, request) : renderPartialUser(user));
};

export const USER_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/v2/me', scopes: ['user:login', ...FULL_USER], answer: getMe },
];
