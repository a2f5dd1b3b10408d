import { Hono, type Context } from 'hono';
import { html } from 'hono/html';
import type { HttpBindings } from '@hono/node-server';
import { signInPage } from '../http-server.ts';
import type { TokenStore } from './oauth-tokens.ts';

/** The only registered OAuth client. */
interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

type Env = { Bindings: HttpBindings };

/** The authorization and token endpoints. */
export function oauthRoutes(tokens: TokenStore, client: OAuthClient, email: string): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get('/o/oauth2/v2/auth', (context) => authorize(context, tokens, client, email));
  routes.post('/token', (context) => answerToken(context, tokens, client));
  return routes;
}

/**
 * Answers the consent page and its buttons: `approve=auto` grants at once, `approve=deny` refuses. Without `approve` it
 * returns the page. `granted` restricts the scopes to the ticked ones.
 */
function authorize(
  context: Context<Env>,
  tokens: TokenStore,
  client: OAuthClient,
  email: string,
): Response | Promise<Response> {
  const query = new URL(context.req.url).searchParams;
  const problem = authorizationProblem(query, client);
  if (problem) return context.html(errorPage(problem), 400);
  const redirect = new URL(query.get('redirect_uri') ?? '');
  const state = query.get('state');
  if (state !== null) redirect.searchParams.set('state', state);
  const approve = query.get('approve');
  if (approve === null) return context.html(consentPage(query, email));
  if (approve === 'deny') {
    redirect.searchParams.set('error', 'access_denied');
    return context.redirect(redirect.href);
  }
  const granted = query.getAll('granted');
  const scope = granted.length > 0 ? granted.filter(Boolean).join(' ') : (query.get('scope') ?? '');
  const code = tokens.issueCode(
    {
      scope,
      redirectUri: query.get('redirect_uri') ?? '',
      codeChallenge: query.get('code_challenge') ?? undefined,
      offline: query.get('access_type') === 'offline',
    },
    query.get('prompt') === 'consent',
  );
  redirect.searchParams.set('code', code);
  redirect.searchParams.set('scope', scope);
  return context.redirect(redirect.href);
}

function authorizationProblem(query: URLSearchParams, { clientId }: OAuthClient): string | undefined {
  if (query.get('client_id') !== clientId) return 'invalid_client: the OAuth client was not found.';
  if (!isLoopback(query.get('redirect_uri') ?? ''))
    return 'redirect_uri_mismatch: the redirect URI is no loopback one.';
  if (query.get('response_type') !== 'code') return 'unsupported_response_type: response_type must be code.';
  if (!query.get('scope')) return 'invalid_request: missing required parameter: scope.';
  const method = query.get('code_challenge_method');
  if (query.has('code_challenge') && method !== 'S256') return 'invalid_request: code_challenge_method must be S256.';
  return undefined;
}

function isLoopback(uri: string): boolean {
  return URL.canParse(uri) && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(uri).hostname);
}

function consentPage(query: URLSearchParams, email: string) {
  const hidden = [...query].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`);
  const scopes = (query.get('scope') ?? '').split(' ').map((scope) => {
    return html`<p>
      <label><input type="checkbox" name="granted" value="${scope}" checked /> ${scope}</label>
    </p>`;
  });
  return signInPage(
    'Google',
    'Sign in (emulator)',
    html`<h1>An application wants to access your contacts</h1>
      <p>Account: <b>${email}</b></p>
      <form method="get" action="/o/oauth2/v2/auth">
        ${hidden}
        <!-- Present even when every box is unticked. -->
        <input type="hidden" name="granted" value="" />
        ${scopes}
        <button name="approve" value="auto">Allow</button>
        <button name="approve" value="deny">Deny</button>
      </form>`,
  );
}

function errorPage(problem: string) {
  return signInPage(
    'Google',
    'Error (emulator)',
    html`<h1>Access blocked</h1>
      <p>${problem}</p>`,
  );
}

async function answerToken(context: Context<Env>, tokens: TokenStore, client: OAuthClient): Promise<Response> {
  const form = await readForm(context);
  if (!isClient(form, context.req.header('authorization'), client)) {
    return refuse(context, 'invalid_client', 'The OAuth client was not found.', 401);
  }
  switch (form.get('grant_type')) {
    case 'authorization_code': {
      const answer = tokens.redeemCode(
        form.get('code') ?? '',
        form.get('redirect_uri') ?? '',
        form.get('code_verifier') ?? '',
      );
      return answer ? context.json(answer) : refuse(context, 'invalid_grant', 'Malformed auth code.');
    }
    case 'refresh_token': {
      const answer = tokens.refresh(form.get('refresh_token') ?? '');
      return answer ? context.json(answer) : refuse(context, 'invalid_grant', 'Token has been expired or revoked.');
    }
    default:
      return refuse(context, 'unsupported_grant_type', 'Invalid grant_type.');
  }
}

function refuse(context: Context<Env>, error: string, description: string, status: 400 | 401 = 400): Response {
  return context.json({ error, error_description: description }, status);
}

function isClient(form: URLSearchParams, authorization: string | undefined, client: OAuthClient): boolean {
  const basic = `Basic ${Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64')}`;
  if (authorization === basic) return true;
  return form.get('client_id') === client.clientId && form.get('client_secret') === client.clientSecret;
}

async function readForm(context: Context<Env>): Promise<URLSearchParams> {
  return new URLSearchParams(await context.req.text());
}
