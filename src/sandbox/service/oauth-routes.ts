import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import { signInPage } from '../http-server.ts';
import type { EmulatorContext, EmulatorEnv } from './context.ts';
import { ServiceError } from './errors.ts';
import { APPLICATION, parseScopes, SCOPES } from './grants.ts';
import { readJson } from './route.ts';

const authorizationQuery = z.object({
  client_id: z.literal(APPLICATION.clientId),
  scope: z.string().transform(parseScopes),
  redirect_uri: z.url(),
  response_type: z.literal('code'),
  state: z.string().optional(),
});

type AuthorizationRequest = z.output<typeof authorizationQuery>;

/** Returns the page on which the user accepts or rejects the requested scopes. */
const consentPage = (request: AuthorizationRequest, email: string) => {
  const hidden = Object.entries({ ...request, scope: request.scope.join('+') });
  return signInPage(
    'the relationship management service',
    `Authorize ${request.client_id}`,
    html`<h1>An application wants to access your account</h1>
      <p><b>${request.client_id}</b> asks for access to the account of <b>${email}</b>:</p>
      <ul>
        ${request.scope.map((scope) => html`<li>${scope}</li>`)}
      </ul>
      <form method="get" action="/oauth2/authorize">
        ${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        <button name="approve" value="yes">Accept</button>
        <button name="approve" value="no">Reject</button>
      </form>`,
  );
};

const tokenRequest = z.object({
  grant_type: z.literal('authorization_code'),
  client_id: z.string(),
  client_secret: z.string(),
  code: z.string(),
  redirect_uri: z.string(),
});

/** Throws a ServiceError if a parameter is missing or invalid. */
const parseRequest = <Request>(schema: z.ZodType<Request>, parameters: unknown): Request => {
  const parsed = schema.safeParse(parameters);
  if (parsed.success) return parsed.data;
  throw new ServiceError(400, `Invalid request: ${z.prettifyError(parsed.error)}`);
};

/** Returns the redirect URI with the result of the authorization in its query. */
const redirectTarget = (request: AuthorizationRequest, result: Readonly<Record<string, string>>): string => {
  const target = new URL(request.redirect_uri);
  const values = new URLSearchParams({ ...result, ...(request.state === undefined ? {} : { state: request.state }) });
  values.forEach((value, name) => target.searchParams.set(name, value));
  return target.href;
};

const authorizationResult = (
  request: AuthorizationRequest,
  isAccepted: boolean,
  { grants }: EmulatorContext,
): Record<string, string> => {
  if (!isAccepted) return { error: 'access_denied' };
  if (request.scope.some((scope) => !SCOPES.has(scope))) return { error: 'invalid_scope' };
  return { code: grants.issueCode(request.scope, request.redirect_uri) };
};

const authorize = (c: Context<EmulatorEnv>, context: EmulatorContext): Response | Promise<Response> => {
  const request = parseRequest(authorizationQuery, c.req.query());
  const decision = c.req.query('approve');
  if (decision === undefined) return c.html(consentPage(request, context.account.user.email));
  const result = authorizationResult(request, decision !== 'no', context);
  return c.redirect(redirectTarget(request, result));
};

const answerToken = (c: Context<EmulatorEnv>, body: unknown, { grants, account }: EmulatorContext): Response => {
  const { client_id, client_secret, code, redirect_uri } = parseRequest(tokenRequest, body);
  if (client_id !== APPLICATION.clientId || client_secret !== APPLICATION.clientSecret) {
    throw new ServiceError(401, 'Unknown client');
  }
  const scopes = grants.redeemCode(code, redirect_uri);
  if (scopes === null) throw new ServiceError(400, 'Invalid code');
  const { email, first_name, last_name, serial } = account.user;
  const access_token = grants.grantToken(scopes);
  return c.json({ access_token, email, first_name, last_name, token_type: 'bearer', user_id: serial });
};

/** Adds the authorization endpoints (providers/service/API.md, Authorization endpoints). */
export const addOauthRoutes = (app: Hono<EmulatorEnv>, context: EmulatorContext): void => {
  app.get('/oauth2/authorize', (c) => authorize(c, context));
  app.post('/oauth2/token', async (c) => answerToken(c, await readJson(c.req.raw), context));
};
