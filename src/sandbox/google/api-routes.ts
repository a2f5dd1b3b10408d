import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { ApiError, insufficientScopes, invalidArgument, invalidCredentials } from './api-error.ts';
import type { TokenStore } from './oauth-tokens.ts';
import { operations } from './operations.ts';
import { type MinuteQuota, quotaExceeded } from './quotas.ts';
import { checkParameters } from './request.ts';
import type { ApiRequest, Operation, World } from './world.ts';

/** The token store and the quotas that apply to a request. */
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

/** Answers an API request. Checks, in this order: credentials, scope, parameters and body, quota. Then runs the operation. */
export async function answerApi(
  context: Context<{ Bindings: HttpBindings }>,
  world: World,
  gate: ApiGate,
): Promise<Response> {
  const url = new URL(context.req.url);
  const path = decodeURIComponent(url.pathname);
  const operation = findOperation(context.req.method, path);
  if (!operation) return context.html('<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>', 404);
  const body = await context.req.text();
  const query = url.searchParams;
  // Waits for one turn of the event loop, so that concurrent changes are detected as overlapping.
  if (operation.mutates) await nextTurn();
  try {
    checkToken(context.req.header('authorization'), query, operation, gate.tokens);
    checkParameters(query, operation);
    const [, ...pathParts] = operation.path.exec(path) ?? [];
    const request = { query, body: parseJson(body), pathParts };
    useQuotas(operation, request, world, gate);
    return json(operation.run(request, world), 200, {});
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return json(error.body, error.httpStatus, error.headers);
  } finally {
    world.answered += 1;
  }
}

/** Returns the operation for a method and path. */
export function findOperation(method: string, path: string): Operation | undefined {
  return operations.find((operation) => operation.method === method && operation.path.test(path));
}

function json(body: unknown, status: number, headers: Readonly<Record<string, string>>): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...answerHeaders, ...headers } });
}

/** Checks the access token in the header or in the query. */
function checkToken(
  authorization: string | undefined,
  query: URLSearchParams,
  { scopes }: Operation,
  tokens: TokenStore,
): void {
  const inHeader = authorization?.replace(/^Bearer /i, '');
  const scope = tokens.scopeOf(inHeader ?? query.get('access_token') ?? query.get('oauth_token') ?? '');
  if (scope === undefined) throw invalidCredentials();
  const granted = scope.split(' ');
  const allowed = scopes.some((needed) => needed.every((name) => granted.includes(name)));
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

function useQuotas(operation: Operation, request: ApiRequest, world: World, gate: ApiGate): void {
  const nowMs = world.account.now();
  const reads = readsPeople(operation, request);
  if (reads && !gate.reads.allows(nowMs)) throw quotaExceeded('read', world.variants);
  if (operation.mutates && !gate.writes.allows(nowMs)) throw quotaExceeded('write', world.variants);
  if (reads) gate.reads.use(nowMs);
  if (operation.mutates) gate.writes.use(nowMs);
}

function readsPeople({ reads }: Operation, { query, body }: ApiRequest): boolean {
  if (reads !== 'withMask') return reads === 'always';
  const { readMask, personFields }: { readMask?: unknown; personFields?: unknown } =
    typeof body === 'object' && body !== null ? body : {};
  return Boolean(readMask || personFields || query.get('personFields'));
}
