import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { ApiError, insufficientScopes, invalidArgument, invalidCredentials } from './api-error.ts';
import { operations } from './operations.ts';
import { quotaExceeded } from './quotas.ts';
import { checkParameters } from './request.ts';
import type { ApiRequest, Operation, World } from './world.ts';

const answerHeaders = {
  'content-type': 'application/json; charset=UTF-8',
  'cache-control': 'private',
  vary: 'Origin, X-Origin, Referer',
  server: 'ESF',
};

/** Answers an API request. Checks, in this order: credentials, scope, parameters and body, quota. Then runs the operation. */
export async function answerApi(context: Context<{ Bindings: HttpBindings }>, world: World): Promise<Response> {
  const url = new URL(context.req.url);
  const path = decodeURIComponent(url.pathname);
  const { method } = context.req;
  const operation = operations.find((each) => each.method === method && each.path.test(path));
  if (!operation) return context.html('<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>', 404);
  const query = url.searchParams;
  if (operation.mutates) beginMutation(world);
  try {
    const body = await context.req.text();
    // Waits for one turn of the event loop, so that concurrent changes are detected as overlapping.
    if (operation.mutates) await nextTurn();
    checkToken(context.req.header('authorization'), query, operation, world);
    checkParameters(query, operation);
    const [, ...pathParts] = operation.path.exec(path) ?? [];
    const request = { query, body: parseJson(body), pathParts };
    useQuotas(operation, request, world);
    return json(operation.run(request, world), 200, {});
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return json(error.body, error.httpStatus, error.headers);
  } finally {
    world.answered += 1;
    if (operation.mutates) world.mutationsInProgress -= 1;
  }
}

function beginMutation(world: World): void {
  if (world.mutationsInProgress > 0) world.overlappingMutations += 1;
  world.mutationsInProgress += 1;
}

function json(body: unknown, status: number, headers: Readonly<Record<string, string>>): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...answerHeaders, ...headers } });
}

function checkToken(
  authorization: string | undefined,
  query: URLSearchParams,
  { scopes }: Operation,
  { tokens }: World,
): void {
  const inHeader = authorization?.replace(/^Bearer /i, '');
  const scope = tokens.scopeOf(inHeader ?? query.get('access_token') ?? query.get('oauth_token') ?? '');
  if (scope === undefined) throw invalidCredentials();
  const granted = scope.split(' ');
  if (!scopes.some((name) => granted.includes(name))) throw insufficientScopes();
}

function parseJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw invalidArgument('Invalid JSON payload received. Unexpected token.');
  }
}

/** A refused request uses no quota. */
function useQuotas(operation: Operation, request: ApiRequest, { account, reads, writes, variants }: World): void {
  const nowMs = account.now();
  const isRead = readsPeople(operation, request);
  if (isRead && reads.used(nowMs) >= reads.capacity) throw quotaExceeded('read', variants);
  if (operation.mutates && writes.used(nowMs) >= writes.capacity) throw quotaExceeded('write', variants);
  if (isRead) reads.add(nowMs);
  if (operation.mutates) writes.add(nowMs);
}

function readsPeople({ reads }: Operation, { query, body }: ApiRequest): boolean {
  if (reads !== 'withMask') return reads === 'always';
  const { readMask, personFields }: { readMask?: unknown; personFields?: unknown } =
    typeof body === 'object' && body !== null ? body : {};
  return Boolean(readMask || personFields || query.get('personFields'));
}
