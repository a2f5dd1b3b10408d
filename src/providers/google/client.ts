import { people, type people_v1 } from '@googleapis/people';
import { OAuth2Client } from 'google-auth-library';
import { install, Request, type RequestInit, Response } from 'undici';
import type { Transport } from '../../net/transport.ts';
import type { Clock } from '../../util/clock.ts';
import { shareConcurrentCalls } from '../../util/share.ts';
import { ANSWER_LIMITS } from '../listing.ts';

export type GoogleClientOptions = {
  /** Root of the People API, with or without a trailing slash. */
  readonly rootUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
  /** Sends every request, including token requests. */
  readonly transport: Transport;
  readonly clock: Clock;
};

/** Google's own client. It neither retries nor refreshes tokens by itself. */
export type GoogleClient = {
  readonly people: people_v1.People;
  /** Must be in the options of every call: only there is a path in the URL kept. */
  readonly rootUrl: string;
  /** Ensures that an access token is available; `force` gets a new one. Throws the error of the token request. */
  authorise(force: boolean): Promise<void>;
};

/** Creates the client of one account. Sends nothing. */
export const createGoogleClient = (options: GoogleClientOptions): GoogleClient => {
  // Google's client uses the global Headers class. Without this, Node would also load its built-in undici for it.
  install();
  const auth = new OAuth2Client({
    clientId: options.clientId,
    clientSecret: options.clientSecret,
    endpoints: { oauth2TokenUrl: options.tokenUrl },
    useAuthRequestParameters: false,
    transporterOptions: {
      fetchImplementation: fetchThrough(options),
      responseType: 'json',
      // This is merged into every request and also overrides the retry settings of the token request.
      retryConfig: { retry: 0 },
    },
  });
  auth.setCredentials({ refresh_token: options.refreshToken });
  return {
    people: people({ version: 'v1', auth, retry: false }),
    rootUrl: options.rootUrl,
    authorise: createAuthoriser(auth, options.refreshToken),
  };
};

/** The lifetime that Google's client assumes for a token without an expiry time. */
const USUAL_LIFE_MS = 3_600_000;

/** Gets access tokens for Google's client. Their expiry is measured by the system clock, as the client does. */
const createAuthoriser = (auth: OAuth2Client, refreshToken: string): GoogleClient['authorise'] => {
  const refresh = async (): Promise<void> => {
    const { access_token: token, expiry_date: expiresAtMs } = (await auth.refreshAccessToken()).credentials;
    if (!token) throw new Error('The answer holds no access token.');
    const expiry = expiresAtMs ?? Date.now() + USUAL_LIFE_MS;
    auth.setCredentials({ refresh_token: refreshToken, access_token: token, expiry_date: expiry });
  };
  const isGood = (): boolean => {
    const { access_token: token, expiry_date: expiresAtMs } = auth.credentials;
    return Boolean(token) && (expiresAtMs ?? Infinity) > Date.now() + auth.eagerRefreshThresholdMillis;
  };
  const refreshOnce = shareConcurrentCalls(refresh);
  return async (force) => {
    if (force || !isGood()) await refreshOnce();
  };
};

/** Redirects are not followed, because requests contain a credential. Only `text()` of an answer has its body. */
const fetchThrough = ({ clock, transport }: Pick<GoogleClientOptions, 'clock' | 'transport'>) => {
  const fetchWhole = async (input: string | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { method, url, signal } = request;
    const body = request.body === null ? null : await request.text();
    const sent = { method, url, headers: Object.fromEntries(request.headers), body };
    const { status, headers, text } = await transport(sent, { ...ANSWER_LIMITS, clock }, signal);
    const fields = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]);
    return Object.assign(new Response(null, { status, headers: fields }), { text: () => Promise.resolve(text) });
  };
  // The client's type is that of the built-in fetch.
  return fetchWhole as unknown as typeof globalThis.fetch;
};
