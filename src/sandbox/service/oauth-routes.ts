import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import { signInPage } from '../http-server.ts';
import type { EmulatorContext, EmulatorEnv } from './context.ts';
import { ServiceError } from './errors.ts';
import { APPLICATION, parseScopes, SCOPES } from './grants.ts';
import { readJson } from './route.ts';
import type { ServiceVariants } from './variants.ts';

/** A checked authorization request. */
type AuthorizationRequest = {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly responseType: 'code' | 'token';
  readonly state: string | null;
};

/** Returns the page on which the user accepts or rejects the requested scopes. */
const consentPage = (request: AuthorizationRequest, email: string) => {
  const hidden = {
    client_id: request.clientId,
    scope: request.scopes.join('+'),
    redirect_uri: request.redirectUri,
    response_type: request.responseType,
    ...(request.state === null ? {} : { state: request.state }),
  };
  return signInPage(
    'the relationship management service',
    `Authorize ${request.clientId}`,
    html`<h1>An application wants to access your account</h1>
      <p><b>${request.clientId}</b> asks for access to the account of <b>${email}</b>:</p>
      <ul>
        ${request.scopes.map((scope) => html`<li>${scope}</li>`)}
      </ul>
      <form method="get" action="/oauth2/authorize">
        ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        <button name="approve" value="yes">Accept</button>
        <button name="approve" value="no">Reject</button>
      </form>`,
  );
};

const authorizationQuery = z
  .object({
    client_id: z.literal(APPLICATION.clientId),
    scope: z.string().transform(parseScopes),
    redirect_uri: z.url(),
    response_type: z.enum(['code', 'token']),
    state: z.string().optional(),
  })
  .transform((query): AuthorizationRequest => ({
    clientId: query.client_id,
    scopes: query.scope,
    redirectUri: query.redirect_uri,
    responseType: query.response_type,
    state: query.state ?? null,
  }));

const tokenRequest = z.object({
  grant_type: z.literal('authorization_code'),
  client_id: z.string(),
  client_secret: z.string(),
  code: z.string(),
  redirect_uri: z.string(),
});

const exchangeRequest = z.object({ api_key: z.string(), client_id: z.string() });

/** Parses the authorization request in the query. Throws a ServiceError if it is not complete. */
const parseAuthorization = (query: Record<string, string>): AuthorizationRequest => {
  const parsed = authorizationQuery.safeParse(query);
  if (!parsed.success) throw new ServiceError(400, `Invalid authorization request: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
};

/** Returns the redirect URI with the result of the authorization in its query or, for a token, in its fragment. */
const redirectTarget = (
  request: AuthorizationRequest,
  result: Readonly<Record<string, string>>,
  variants: ServiceVariants,
): string => {
  const target = new URL(request.redirectUri);
  const values = new URLSearchParams({ ...result, ...(request.state === null ? {} : { state: request.state }) });
  if (request.responseType === 'token' && variants.tokenRedirect === 'fragment') {
    target.hash = values.toString();
  } else {
    values.forEach((value, name) => target.searchParams.set(name, value));
  }
  return target.href;
};

const authorizationResult = (
  request: AuthorizationRequest,
  isAccepted: boolean,
  { grants }: EmulatorContext,
): Record<string, string> => {
  if (!isAccepted) return { error: 'access_denied' };
  if (request.scopes.some((scope) => !SCOPES.has(scope))) return { error: 'invalid_scope' };
  if (request.responseType === 'code') return { code: grants.issueCode(request.scopes, request.redirectUri) };
  return { access_token: grants.grantToken(request.scopes), token_type: 'bearer' };
};

const authorize = (c: Context<EmulatorEnv>, context: EmulatorContext): Response | Promise<Response> => {
  const request = parseAuthorization(c.req.query());
  const decision = c.req.query('approve');
  if (decision === undefined) return c.html(consentPage(request, context.account.user.email));
  const result = authorizationResult(request, decision !== 'no', context);
  return c.redirect(redirectTarget(request, result, context.variants()));
};

const answerToken = (c: Context<EmulatorEnv>, body: unknown, { grants, account }: EmulatorContext): Response => {
  const parsed = tokenRequest.safeParse(body);
  if (!parsed.success) throw new ServiceError(400, `Invalid token request: ${z.prettifyError(parsed.error)}`);
  const { client_id, client_secret, code, redirect_uri } = parsed.data;
  if (client_id !== APPLICATION.clientId || client_secret !== APPLICATION.clientSecret) {
    throw new ServiceError(401, 'Unknown client');
  }
  const scopes = grants.redeemCode(code, redirect_uri);
  if (scopes === null) throw new ServiceError(400, 'Invalid code');
  const { email, first_name, last_name, serial } = account.user;
  const access_token = grants.grantToken(scopes);
  return c.json({ access_token, email, first_name, last_name, token_type: 'bearer', user_id: serial });
};

const answerExchange = (c: Context<EmulatorEnv>, body: unknown, { grants }: EmulatorContext): Response => {
  const parsed = exchangeRequest.safeParse(body);
  if (!parsed.success) throw new ServiceError(400, `Invalid exchange request: ${z.prettifyError(parsed.error)}`);
  if (parsed.data.api_key !== APPLICATION.apiKey || parsed.data.client_id !== APPLICATION.clientId) {
    throw new ServiceError(401, 'Unknown api_key');
  }
  const scopes = APPLICATION.scopes;
  return c.json({ access_token: grants.grantToken(scopes), scopes: scopes.join('+') });
};

/** Adds the authorization endpoints (providers/service/API.md, Authorization endpoints). */
export const addOauthRoutes = (app: Hono<EmulatorEnv>, context: EmulatorContext): void => {
  app.get('/oauth2/authorize', (c) => authorize(c, context));
  app.get('/oauth2/token', (c) => answerToken(c, c.req.query(), context));
  app.post('/oauth2/token', async (c) => answerToken(c, await readJson(c.req.raw), context));
  app.post('/oauth2/token/exchange', async (c) => answerExchange(c, await readJson(c.req.raw), context));
};
