import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import { ApiError, insufficientScopes, invalidArgument, invalidCredentials } from './api-error.ts';
import { contactsReadOnlyScope, contactsScope, type TokenStore } from './oauth-tokens.ts';
import { operations } from './operations.ts';
import { quotaExceeded, type MinuteQuota } from './quotas.ts';
import type { ApiRequest, Operation, World } from './world.ts';

/** What stands between a request and its operation. */
export interface ApiGate {
  readonly tokens: TokenStore;
  reads: MinuteQuota;
  writes: MinuteQuota;
}

const answerHeaders = {
  'content-type': 'application/json; charset=UTF-8',
  'cache-control': 'private',
  vary: 'Origin, X-Origin, Referer',
  server: 'ESF',
};

/** Answers a request to the API: credentials, scope, quota, body, operation, in that order. */
export async function answerApi(
  context: Context<{ Bindings: HttpBindings }>,
  world: World,
  gate: ApiGate,
): Promise<Response> {
  const { method } = context.req;
  const url = new URL(context.req.url);
  const path = decodeURIComponent(url.pathname);
  const operation = findOperation(method, path);
  if (!operation) return context.html('<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>', 404);
  const text = await context.req.text();
  // One turn of the event loop, so that changes sent at the same time are seen to overlap.
  if (operation.mutates) await nextTurn();
  try {
    checkToken(context.req.header('authorization'), operation, gate.tokens);
    const body = parseJson(text);
    useQuotas(operation, body, world, gate);
    const [, ...pathParts] = operation.path.exec(path) ?? [];
    return json(operation.run({ query: url.searchParams, body, pathParts }, world), 200, {});
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return json(error.body, error.httpStatus, error.headers);
  } finally {
    world.answered += 1;
  }
}

/** The operation behind a method and path. */
export function findOperation(method: string, path: string): Operation | undefined {
  return operations.find((operation) => operation.method === method && operation.path.test(path));
}

function json(body: object, status: number, headers: Readonly<Record<string, string>>): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...answerHeaders, ...headers } });
}

function checkToken(authorization: string | undefined, { mutates }: Operation, tokens: TokenStore): void {
  const scope = tokens.scopeOf(authorization?.replace(/^Bearer /i, '') ?? '');
  if (scope === undefined) throw invalidCredentials();
  const scopes = scope.split(' ');
  const allowed = scopes.includes(contactsScope) || (!mutates && scopes.includes(contactsReadOnlyScope));
  if (!allowed) throw insufficientScopes();
}

function parseJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw invalidArgument('Invalid JSON payload received. Unexpected token.');
  }
}

function useQuotas(operation: Operation, body: ApiRequest['body'], world: World, gate: ApiGate): void {
  const nowMs = world.account.now();
  const reads = readsPeople(operation, body);
  if (reads && !gate.reads.allows(nowMs)) throw quotaExceeded('read', world.variants);
  if (operation.mutates && !gate.writes.allows(nowMs)) throw quotaExceeded('write', world.variants);
  if (reads) gate.reads.use(nowMs);
  if (operation.mutates) gate.writes.use(nowMs);
}

function readsPeople({ reads }: Operation, body: unknown): boolean {
  if (reads !== 'withReadMask') return reads === 'always';
  return typeof body === 'object' && body !== null && 'readMask' in body && Boolean(body.readMask);
}
