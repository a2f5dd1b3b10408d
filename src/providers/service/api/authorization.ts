import { z } from 'zod';
import { parsePart } from './resource.ts';
import { optionalText } from './schemas-common.ts';
import type { Send } from './send.ts';

/** The result of a code exchange. The lifetime of the token is not documented. */
const grantSchema = z.object({ access_token: z.string().min(1) });

/** The result of the exchange of a v1 application's api_key. */
const exchangedKeySchema = z.object({ access_token: z.string().min(1), scopes: optionalText });

type AuthorizeRequest = {
  readonly clientId: string;
  readonly redirectUri: string;
  /** API.md, Authentication. */
  readonly scopes: readonly string[];
  /** The service returns it unchanged. Abort if it differs. */
  readonly state: string;
};

/** Returns the URL of the page for sign-in and consent: GET {auth_url}/oauth2/authorize. */
export const authorizeUrl = (authUrl: string, request: AuthorizeRequest): string => {
  const parameters = {
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    response_type: 'code',
    state: request.state,
  };
  const scope = request.scopes.map(encodeURIComponent).join('+');
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${authUrl}/oauth2/authorize?${[...query, `scope=${scope}`].join('&')}`;
};

type CodeExchange = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly code: string;
  readonly redirectUri: string;
};

/** Sends to {auth_url} without a token. Throws a RemoteError or the signal's reason. */
const post = async <Value>(send: Send, schema: z.ZodType<Value>, route: string, body: unknown): Promise<Value> => {
  const asked = { method: 'POST', route, body } as const;
  const answer = await send(asked);
  return parsePart(schema, answer.json, asked, answer.status);
};

/** POST {auth_url}/oauth2/token: exchanges the code of a consent for an access token (API.md, Authorization endpoints). */
export const exchangeCode = (send: Send, exchange: CodeExchange) => {
  const body = {
    grant_type: 'authorization_code',
    client_id: exchange.clientId,
    client_secret: exchange.clientSecret,
    code: exchange.code,
    redirect_uri: exchange.redirectUri,
  };
  return post(send, grantSchema, '/oauth2/token', body);
};

/** POST {auth_url}/oauth2/token/exchange: exchanges a v1 api_key for an access token with the application's scopes. */
export const exchangeApiKey = (send: Send, apiKey: string, clientId: string) =>
  post(send, exchangedKeySchema, '/oauth2/token/exchange', { api_key: apiKey, client_id: clientId });
