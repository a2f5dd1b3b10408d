import { z } from 'zod';
import { parsePart } from './resource.ts';
import type { Send } from './send.ts';

/** The result of a code exchange. The lifetime of the token is not documented. */
const grantSchema = z.object({ access_token: z.string().min(1) });

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

/**
 * POST {auth_url}/oauth2/token: exchanges the code of a consent for an access token (API.md, Authorization endpoints). `send` is for
 * {auth_url}, without a token. Throws a RemoteError or the signal's reason.
 */
export const exchangeCode = async (send: Send, exchange: CodeExchange) => {
  const body = {
    grant_type: 'authorization_code',
    client_id: exchange.clientId,
    client_secret: exchange.clientSecret,
    code: exchange.code,
    redirect_uri: exchange.redirectUri,
  };
  const asked = { method: 'POST', route: '/oauth2/token', body } as const;
  const answer = await send(asked);
  return parsePart(grantSchema, answer.json, asked, answer.status);
};
