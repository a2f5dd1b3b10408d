import { z } from 'zod';
import { parsePart } from './resource.ts';
import { id, optionalText } from './schemas-common.ts';
import type { ApiRequest, Send } from './send.ts';

/** What a code was exchanged for. How long the token lives is not documented. */
const grantSchema = z.object({
  access_token: z.string().min(1),
  email: optionalText,
  first_name: optionalText,
  last_name: optionalText,
  token_type: optionalText,
  user_id: id.nullish().transform((value) => value ?? null),
});
export type Grant = z.output<typeof grantSchema>;

/** What a v1 application's api_key was exchanged for. */
const exchangedKeySchema = z.object({ access_token: z.string().min(1), scopes: optionalText });
type ExchangedKey = z.output<typeof exchangedKeySchema>;

type Managed<Name extends string> = `${Name}:view` | `${Name}:manage`;

/** A scope that an application may ask for (API.md, Authentication). */
type Scope =
  | 'user:login'
  | 'user:basic'
  | 'user:manage'
  | Managed<'all'>
  | Managed<'buckets'>
  | Managed<'connected-accounts'>
  | Managed<'contacts'>
  | Managed<'interactions'>
  | Managed<'message-templates'>
  | Managed<'notes'>
  | Managed<'tasks'>;

type AuthorizeRequest = {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly Scope[];
  /** `code` is exchanged afterwards; `token` comes back usable. */
  readonly responseType: 'code' | 'token';
  /** Comes back unchanged; abort where it does not. */
  readonly state: string;
};

/** GET {auth_url}/oauth2/authorize: where the user is sent to sign in and consent. */
export const authorizeUrl = (authUrl: string, request: AuthorizeRequest): string => {
  const parameters = {
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    response_type: request.responseType,
    state: request.state,
  };
  const scope = request.scopes.map(encodeURIComponent).join('+');
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${authUrl.replace(/\/+$/u, '')}/oauth2/authorize?${[...query, `scope=${scope}`].join('&')}`;
};

export type CodeExchange = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly code: string;
  readonly redirectUri: string;
};

/**
 * Authorization endpoints that are called by the application (API.md, Authorization endpoints); `send` goes to
 * {auth_url} without a token. Every operation throws a RemoteError or the signal's reason.
 */
export const createAuthorizationApi = (send: Send) => ({
  /** POST {auth_url}/oauth2/token: an access token for the code of a consent. */
  exchangeCode: async (exchange: CodeExchange, signal: AbortSignal): Promise<Grant> => {
    const body = {
      grant_type: 'authorization_code',
      client_id: exchange.clientId,
      client_secret: exchange.clientSecret,
      code: exchange.code,
      redirect_uri: exchange.redirectUri,
    };
    const asked: ApiRequest = { method: 'POST', route: '/oauth2/token', body };
    const answer = await send(asked, signal);
    return parsePart(grantSchema, answer.json, asked, answer.status);
  },

  /** POST {auth_url}/oauth2/token/exchange: an access token with the application's scopes for a v1 api_key. */
  exchangeApiKey: async (apiKey: string, clientId: string, signal: AbortSignal): Promise<ExchangedKey> => {
    const body = { api_key: apiKey, client_id: clientId };
    const asked: ApiRequest = { method: 'POST', route: '/oauth2/token/exchange', body };
    const answer = await send(asked, signal);
    return parsePart(exchangedKeySchema, answer.json, asked, answer.status);
  },
});
